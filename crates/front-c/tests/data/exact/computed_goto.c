// Addresses of labels.
enum op { PUSH, ADD, LOOP, STOP };
static int run(const unsigned char *code, int rounds) {
  static void *const table[] = { &&push, &&add, &&loop, &&stop };
  int stack[4] = { 0 }, top = 0, at = 0;
  goto *table[code[at]];
push:
  stack[top++] = code[at + 1]; at += 2;
  goto *table[code[at]];
add:
  top--; stack[top - 1] += stack[top]; at++;
  goto *table[code[at]];
loop:
  at = --rounds > 0 ? 0 : at + 1;
  if (at == 0 && top > 2) return -1;
  goto *table[code[at]];
stop:
  return stack[top - 1];
}
int choose(int n) {
  void *next;
  int result = 0;
  if (n == 0) next = &&zero; else next = n > 0 ? &&positive : (void *)&&negative;
  int kept = 7, *p = &kept;
  goto *next;
zero: return 10;
positive: result += 5;
negative: result += *p;
  return result;
}
#define JUMP(l) goto *({ void *t_ = &&l; t_; })
int nested(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    __label__ odd, next;
    void *to[2] = { &&next, &&odd };
    goto *to[i & 1];
  odd: sum += i;
  next: ;
  }
  JUMP(end);
  sum = -1;
end:
  return sum;
}
int main(void) {
  unsigned char code[] = { PUSH, 3, PUSH, 4, ADD, STOP };
  CHECK(run(code, 1) == 7)
  code[1] = 5; CHECK(run(code, 1) == 9)
  CHECK(choose(0) == 10 && choose(3) == 12 && choose(-3) == 7)
  CHECK(nested(6) == 9 && nested(0) == 0)
  int a = 1, b = 2;
  CHECK((a && b) == 1 && (!a&&b) == 0 && (choose(0) &&b) == 1)
  return __VERIFIER_nondet_end();
}
