// 128 bits.
int main(void) { unsigned __int128 x = 1; x <<= 100; if ((int)(x >> 99) == 2) reach_error(); return 0; }
