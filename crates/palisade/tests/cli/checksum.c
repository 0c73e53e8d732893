// run: palisade verify --engine values $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify --engine values --set values.states=10 $FILE
// exit: 20
// stdout: are too many
// run: palisade verify --certificate $TMP/proof $FILE
// exit: 0
// run: palisade check $FILE $TMP/proof
// exit: 0
// run: palisade verify -D WRONG --engine auto $FILE
// exit: 10
#include <assert.h>
#include <stdint.h>

// CRC-32 of a fixed message, as in IEEE 802.3.
static uint32_t crc32(const uint8_t *data, unsigned length) {
  uint32_t crc = 0xFFFFFFFFu;
  for (unsigned i = 0; i < length; i++) {
    crc ^= data[i];
    for (int k = 0; k < 8; k++)
      crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1u)));
  }
  return ~crc;
}

int main(void) {
  const uint8_t message[9] = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};
#ifdef WRONG
  assert(crc32(message, 9) == 0xCBF43927u);
#else
  assert(crc32(message, 9) == 0xCBF43926u);
#endif
  return 0;
}
