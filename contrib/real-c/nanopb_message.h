/* A message as the generator of nanopb would describe it: a number and a short name. */
#include "pb.h"

typedef struct {
    uint32_t speed;
    char name[4];
} Status;

#define Status_FIELDLIST(X, a) \
    X(a, STATIC, SINGULAR, UINT32, speed, 1) \
    X(a, STATIC, SINGULAR, STRING, name, 2)
#define Status_CALLBACK NULL
#define Status_DEFAULT NULL

PB_BIND(Status, Status, AUTO)
