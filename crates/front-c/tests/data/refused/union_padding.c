// What happens to padding inside a union is not known.
int main(void) {
  union { union { struct { char a; int b; } p; long long l; } in; unsigned char c[8]; } o;
  o.in.l = 0;
  o.in.p.b = 1;
  if (o.c[4] == 1) reach_error();
  return 0;
}
