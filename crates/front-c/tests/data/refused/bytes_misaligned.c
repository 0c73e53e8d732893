// An `int` that is misaligned for certain.
static int a[2] = {0x01020304, 0x05060708};
int main(void) {
  if (*(int *)((char *)a + 1) == 0x08010203) reach_error();
  return 0;
}
