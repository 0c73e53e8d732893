// What `argv` points to.
int main(int argc, char **argv) { if (argv[argc] == 0) reach_error(); return 0; }
