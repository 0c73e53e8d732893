// Character and string literals: signed `char`, escapes, bytes above 127, more than one character, elements of literals.
static const char table[] = { "bc"[1], 'x', "\xff"[0] };
int second = "bc"[1];
static char three[3] = "abc";
char text[] = "\377\x80\0z" "q";
char utf[] = "é";
unsigned char bytes[] = "\xfe";
int main(void) {
  CHECK('\xff' == -1 && '\377' == -1 && '\x80' == -128 && '\x7f' == 127)
  CHECK('ab' == 0x6162 && 'abcd' == 0x61626364 && '\377a' == 0xff61)
  CHECK(table[0] == 'c' && table[2] == -1 && second == 'c')
  CHECK(three[2] == 'c' && sizeof three == 3)
  CHECK(sizeof text == 6 && text[0] == -1 && text[1] == -128 && text[2] == 0 && text[3] == 'z' && text[4] == 'q')
  CHECK(sizeof utf == 3 && utf[0] == (char)0xc3 && utf[1] == (char)0xa9)
  CHECK(bytes[0] == 254) CHECK((char)200 == -56 && (unsigned char)-1 == 255)
  CHECK(sizeof 'a' == 4 && sizeof "abc" == 4 && L'a' == 97 && u'a' == 97 && sizeof(u'a') == 2 && sizeof(L'a') == 4)
  CHECK('\\' == 92 && '\'' == 39 && '"' == 34 && '\?' == 63 && '\0' == 0)
  const char *s = "a\tb"; CHECK(s[1] == 9 && *s == 'a' && *("xyz" + 1) == 'y')
  CHECK('\e' == 27 && '\E' == 27 && "\e1\\e"[0] == 27 && "\e1\\e"[1] == '1' && sizeof "\e1\\e" == 5 && L'\e' == 27)
  return __VERIFIER_nondet_end();
}
