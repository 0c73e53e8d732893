// Literals, operators, conversions and comparisons of both types.
_Float32x wide = 0.1f32x; _Float64x widest;
double d; float f = 1.5f; double table[4] = { 1, 2.5, -3e2, 0x1.8p-1 };
static float twice(float x) { return x * 2; }
static double sum(double *a, int n) { double s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
static float narrow(double x) { return x; }
struct point { float x, y; int tag; double z; };
int main(void) {
  CHECK(sizeof wide == 8 && wide == 0.1 && sizeof widest == sizeof(long double))
  CHECK(d == 0 && f == 1.5 && sizeof(f) == 4 && sizeof(d) == 8 && sizeof(f + 1) == 4 && sizeof(f + 1.0) == 8)
  CHECK(0.1f != 0.1 && 0.1 + 0.2 != 0.3 && 0.1 + 0.2 == 0.30000000000000004 && 0.1f + 0.2f == 0.3f)
  CHECK(1e-45f > 0 && 1e-46f == 0 && 1e39f > 3.4e38f && 4.9e-324 / 2 == 0 && .5e1 == 5. && 0x.8p1 == 1)
  d = 7; d /= 2; CHECK(d == 3.5) d -= 1; d *= d; CHECK(d == 6.25) d += f; CHECK(d == 7.75)
  f++; --f; f--; ++f; CHECK(f == 1.5f && f++ == 1.5f && f == 2.5f && --f == 1.5f)
  CHECK((int)3.99 == 3 && (int)-3.99 == -3 && (unsigned)3e9 == 3000000000u && (char)65.7 == 65)
  int big = 16777217; f = big; CHECK(f == 16777216.0f && (double)big == 16777217)
  long long huge = 9007199254740993LL; d = huge; CHECK(d == 9007199254740992.0) f = 1.5f;
  unsigned long long most = -1ull; CHECK((double)most == 18446744073709551616.0)
  CHECK(twice(1.25f) == 2.5f && twice(3) == 6 && sum(table, 4) == -295.75 && narrow(0.1) == 0.1f)
  struct point p = { 1, 2, 3, 4 }, q = p; q.y += 0.5f; CHECK(p.y == 2 && q.y == 2.5f && q.z == 4 && q.tag == 3)
  double *r = &table[1]; *r *= 2; r[1] = -*r; CHECK(table[1] == 5 && table[2] == -5)
  double zero = 0, inf = 1 / zero, nan = zero / zero, minus = -zero;
  CHECK(inf > 1e308 && -inf < -1e308 && inf == inf && inf - 1 == inf && 1 / inf == 0 && 1 / minus == -inf)
  CHECK(nan != nan && !(nan == nan) && !(nan < 1) && !(nan > 1) && !(nan <= nan) && !(nan >= nan))
  CHECK(zero == minus && !(minus < zero) && !zero && !minus && nan && inf && !!0.5)
  CHECK((f ? 1 : 2) == 1 && (f > 1 ? 0.5 : 2) == 0.5 && (1 ? 1 : 2.0) / 2 == 0.5 && (f && d) && !(f && zero))
  _Bool b = 0.25; CHECK(b) b = 0.0; CHECK(!b) b = nan; CHECK(b) CHECK((_Bool)0.1 == 1 && f + b == 2.5f)
  int i = 3; i *= 1.5; CHECK(i == 4) i += 0.75; CHECK(i == 4) i = 7.9f; CHECK(i == 7) unsigned char c = 200; c *= 0.5;
  CHECK(c == 100 && 1 / 2 == 0 && 1 / 2.0 == 0.5 && -f == -1.5f && +f == 1.5f && 5 - f == 3.5f)
  float third = 1.0f / 3; CHECK(third * 3 == 1 && third != 1.0 / 3 && (float)(1.0 / 3) == third)
  CHECK(1e308 * 10 == inf && -1e308 * 10 == -inf && 1e-308 / 1e10 != 0 && 1e-320 * 0.5 == 5e-321)
  if (f) i = 1; else i = 2; CHECK(i == 1) while (f > 1) f -= 0.25f; CHECK(f == 1) for (d = 0; d != 1; d += 0.125) i++;
  CHECK(i == 9 && d == 1)
  return __VERIFIER_nondet_end();
}
