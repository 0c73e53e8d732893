// A function of the library without a model.
int atoi(const char *); int main(void) { if (atoi("7") == 7) reach_error(); return 0; }
