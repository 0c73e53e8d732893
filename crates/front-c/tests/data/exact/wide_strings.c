// Functions on wide strings.
#include <wchar.h>
int main(void) {
  wchar_t b[12]; const wchar_t *s = L"gr\u00fc\u00df";
  CHECK(wcslen(s) == 4) CHECK(wcsnlen(s, 3) == 3) CHECK(wcsnlen(s, 9) == 4)
  CHECK(wcscpy(b, L"ab") == b) CHECK(b[1] == L'b' && b[2] == 0)
  CHECK(wcscmp(wcscat(b, L"cd"), L"abcd") == 0) CHECK(wcscmp(b, L"abcc") > 0) CHECK(wcscmp(L"", L"a") < 0)
  CHECK(wcsncmp(b, L"abx", 2) == 0) CHECK(wcsncmp(b, L"abx", 3) < 0)
  CHECK(wcschr(b, L'c') == b + 2) CHECK(wcschr(b, L'z') == 0) CHECK(wcschr(b, 0) == b + 4)
  wcsncpy(b, L"xy", 4); CHECK(b[1] == L'y' && b[2] == 0 && b[3] == 0)
  wcscpy(b, L"xyxy"); CHECK(wcsrchr(b, L'x') == b + 2) CHECK(wcsrchr(b, L'q') == 0)
  wmemset(b, L'k', 3); CHECK(b[2] == L'k' && b[3] == L'y')
  wmemcpy(b + 1, L"ab", 2); CHECK(b[0] == L'k' && b[2] == L'b' && b[3] == L'y')
  CHECK(wmemcmp(L"ab", L"ac", 1) == 0) CHECK(wmemcmp(L"ab", L"ac", 2) < 0)
  return __VERIFIER_nondet_end();
}
