// Where a section begins, an object of the program lies.
__attribute__((section("tab"), used)) int a = 1;
extern int __start_tab[];
int main(void) {
  __start_tab[0] = 5;
  if (a == 5) reach_error();
  return 0;
}
