// Wide strings, universal character names, compound literals outside of functions.
typedef __WCHAR_TYPE__ wide; typedef __CHAR16_TYPE__ c16; typedef __CHAR32_TYPE__ c32;
wide w[] = L"ab\u00e9" "c\xe9";
static c16 u[] = u"\U0001F600\u20ac";
static c32 v[6] = U"\U0001F600x";
char s[] = "\u00e9\u0024" u8"\u20ac";
struct pair { int a; int *p; wide t[3]; };
int *list = (int[]){ 1, 2, 3 };
struct pair *one = &(struct pair){ 4, (int[]){ 5, 6 }, L"xy" };
struct pair two = (struct pair){ .a = 7, .t = { L'z' } };
struct pair many[] = { [1] = (struct pair){ 8 }, { 9, &(int){ 10 } } };
static char *const names[] = { (char[]){ "left" }, "right" };
static int length(const wide *p) { int n = 0; while (*p++) n++; return n; }
int main(void) {
  CHECK(sizeof w == 6 * sizeof(wide)) CHECK(w[2] == 0xe9) CHECK(w[3] == 'c') CHECK(w[4] == 0xe9) CHECK(!w[5])
  CHECK(sizeof u == 8) CHECK(u[0] == 0xd83d) CHECK(u[1] == 0xde00) CHECK(u[2] == 0x20ac)
  CHECK(v[0] == 0x1f600) CHECK(v[1] == 'x') CHECK(v[2] == 0) CHECK(v[5] == 0)
  CHECK(sizeof s == 7) CHECK((unsigned char)s[0] == 0xc3) CHECK((unsigned char)s[1] == 0xa9) CHECK(s[2] == '$')
  CHECK((unsigned char)s[3] == 0xe2) CHECK((unsigned char)s[5] == 0xac)
  const wide *p = L"xyz";
  CHECK(p[1] == L'y') CHECK(length(p) == 3) CHECK(L"ab"[1] == 'b') CHECK(sizeof L"ab" == 3 * sizeof(wide))
  CHECK(L'\xffffffff' == -1) CHECK(u'\xffff' == 65535) CHECK(U'\u20ac' == 0x20ac) CHECK(L'\n' == 10)
  CHECK(sizeof u"a" == 4) CHECK((u"\xffff")[0] > 0) CHECK((wide)-1 < 0)
  CHECK(list[2] == 3) list[1] = 9; CHECK(list[1] == 9) CHECK(list[0] == 1)
  CHECK(one->a == 4) CHECK(one->p[1] == 6) CHECK(one->t[1] == 'y') one->p[0]++; CHECK(one->p[0] == 6)
  CHECK(two.a == 7) CHECK(!two.p) CHECK(two.t[0] == 'z') CHECK(two.t[1] == 0)
  CHECK(sizeof many / sizeof *many == 3) CHECK(many[0].a == 0) CHECK(many[1].a == 8) CHECK(*many[2].p == 10)
  CHECK(names[0][3] == 't') CHECK(names[1][4] == 't') names[0][0] = 'L'; CHECK(names[0][0] == 'L')
  return __VERIFIER_nondet_end();
}
