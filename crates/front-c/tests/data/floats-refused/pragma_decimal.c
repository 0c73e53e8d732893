// Constants with decimal digits.
#pragma STDC FLOAT_CONST_DECIMAL64 ON
int main(void) { if (0.1 * 3 == 0.3) reach_error(); return 0; }
