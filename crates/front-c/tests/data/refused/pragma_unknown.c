// Nobody knows what it does.
#pragma flub x
int main(void) { reach_error(); return 0; }
