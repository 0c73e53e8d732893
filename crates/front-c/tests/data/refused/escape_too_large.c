// An escape that does not fit its element.
unsigned short s[] = u"\x12345"; int main(void) { if (s[0] == 0x2345) reach_error(); return 0; }
