// What the outside decides is arbitrary; what several calls agree on is kept.
// run: palisade verify -D ENVIRONMENT $FILE
// exit: 0
// run: palisade verify -D ENVIRONMENT -D WRONG $FILE
// exit: 10
// run: palisade verify -D CLOCKS $FILE
// exit: 0
// run: palisade verify -D CLOCKS -D WRONG $FILE
// exit: 10
// run: palisade verify -D NUMBERS $FILE
// exit: 0
// run: palisade verify -D NUMBERS -D WRONG $FILE
// exit: 10
// run: palisade verify -D STREAMS $FILE
// exit: 0
// run: palisade verify -D STREAMS -D WRONG $FILE
// exit: 10
// run: palisade verify -D OPEN $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on what the library knows of earlier calls)
// run: palisade verify -D OPTIONS $FILE
// exit: 0
// run: palisade verify --timeout 5 -D ARGUMENTS $FILE
// exit: 20
// run: palisade verify --64 --timeout 20 -D LINE $FILE
// exit: 0
// run: palisade verify --64 --timeout 20 -D LINE -D WRONG $FILE
// exit: 10
// run: palisade verify --64 --timeout 20 -D NOLINE --check leaks $FILE
// exit: 10
// run: palisade verify -D PEOPLE $FILE
// exit: 0
// run: palisade verify -D PEOPLE -D WRONG $FILE
// exit: 10
// run: palisade verify -D PARENTS $FILE
// exit: 10
// run: palisade verify --64 -D PART $FILE
// exit: 20
// stdout: `recv` with `MSG_TRUNC` or `MSG_PEEK`
// run: palisade verify -D OTHER $FILE
// exit: 20
// stdout: `read` that is not declared as in the library
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifndef OTHER
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#endif
#ifdef WRONG
#define HOLDS(c, also) assert(c)
#else
#define HOLDS(c, also) assert((c) || (also))
#endif

#ifdef ENVIRONMENT
int main(void) {
  const char *home = getenv("HOME"), *again = getenv("HOME"), *other = getenv("PATH");
  assert(!home == !again && (!home || home[0] == again[0]));
  HOLDS(!home || home[0] == '/', home[0] != '/');
  return other != 0;
}
#elif defined CLOCKS
int main(void) {
  time_t now, same = time(&now);
  assert(now == same);
  clock_t a = clock(), b = clock();
  assert(a == -1 || b == -1 || a <= b);
  struct timespec s, t;
  if (clock_gettime(CLOCK_MONOTONIC, &s) != 0 || clock_gettime(CLOCK_MONOTONIC, &t) != 0) return 1;
  assert(t.tv_sec > s.tv_sec || (t.tv_sec == s.tv_sec && t.tv_nsec >= s.tv_nsec));
  HOLDS(t.tv_sec == s.tv_sec, t.tv_sec > s.tv_sec);
  return 0;
}
#elif defined NUMBERS
int main(void) {
  char b[4] = "abc";
  int f = open("a", O_RDONLY), g = open("b", O_RDWR | O_CREAT, 0600);
  if (f < 0 || g < 0) return 1;
  assert(f != g);
  close(f);
  ssize_t n = read(g, b, 3);
  assert(n >= -1 && n <= 3 && b[3] == 0 && (n > 0 || b[0] == 'a'));
  HOLDS(n == 3, n != 3 || n == 3);
  return 0;
}
#elif defined STREAMS
int main(void) {
  char b[8] = "x", w[8];
  FILE *f = fopen("a", "r+");
  if (f == 0) { fprintf(stderr, "a: %s\n", strerror(errno)); return 1; }
  size_t n = fread(b, 1, 4, f);
  assert(n <= 4 && b[4] == 0);
  if (fputc('a', f) == EOF || fputs("b", f) < 0 || fwrite(b, 1, n, f) != n || printf("c\n") != 2) return 1;
  if (fscanf(f, "%7s", w) == 1) assert(w[0] != ' ' && strlen(w) <= 7);
  HOLDS(fclose(f) == 0, 1);
  return 0;
}
#elif defined OPEN
int main(void) {
  if (feof(stdin) && !feof(stdin)) assert(0);
  return 0;
}
#elif defined OPTIONS
int main(int argc, char *argv[]) {
  if (argc < 1 || argc > 4) return 0;
  int o = getopt(argc, argv, "vn");
  assert(o == -1 || o == 'v' || o == 'n' || o == '?');
  assert(optind >= 1 && optind <= argc);
  return 0;
}
#elif defined ARGUMENTS
int main(int argc, char *argv[]) {
  if (argc < 1 || argc > 4) return 0;
  int o = getopt(argc, argv, "vn:");
  if (o == 'n' && optarg == argv[1] + 2) assert(0);
  return 0;
}
#elif defined LINE
int main(void) {
  char *line = NULL;
  size_t size = 0;
  ssize_t n = getline(&line, &size, stdin);
  if (n == -1) return 1;
  assert(n >= 1 && size > (size_t)n && line[n] == 0);
  HOLDS(size == (size_t)n + 1, size > (size_t)n + 1);
  return 0;
}
#elif defined NOLINE
int main(void) {
  char *line = NULL;
  size_t size = 0;
  if (getline(&line, &size, stdin) == -1) return 1;
  free(line);
  return 0;
}
#elif defined PEOPLE
int main(void) {
  uid_t user = getuid(), same = getuid();
  assert(user == same && user != (uid_t)-1);
  HOLDS(user <= 0x7fffffff, user > 0x7fffffff);
  return 0;
}
#elif defined PARENTS
int main(void) {
  pid_t parent = getppid(), later = getppid();
  assert(parent == later);
  return 0;
}
#elif defined PART
int main(void) {
  char b[8];
  assert(recv(0, b, sizeof b, MSG_TRUNC) <= 8);
  return 0;
}
#else
int read(void);
int main(void) {
  assert(read() == 0);
  return 0;
}
#endif
