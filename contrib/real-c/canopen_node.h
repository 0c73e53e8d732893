/* A CANopen node with a small dictionary. The drivers keep the last frame and the time of the timer. */
#include "co_core.h"

static CO_IF_FRM sent, incoming;
static unsigned sent_count;
static int16_t incoming_size;
static uint32_t timer_left;
static bool timer_on;

static void can_init(void) {}
static void can_enable(uint32_t baudrate) { (void)baudrate; }
static int16_t can_read(CO_IF_FRM *frame) {
    *frame = incoming;
    return incoming_size;
}
static int16_t can_send(CO_IF_FRM *frame) {
    sent = *frame;
    sent_count++;
    return sizeof *frame;
}
static void can_reset(void) {}
static void can_close(void) {}
static void timer_init(uint32_t frequency) { (void)frequency; }
static void timer_reload(uint32_t reload) { timer_left = reload; }
static uint32_t timer_delay(void) { return timer_left; }
static void timer_stop(void) { timer_on = false; }
static void timer_start(void) { timer_on = true; }
static uint8_t timer_update(void) {
    if (!timer_on || timer_left == 0)
        return 0;
    timer_left--;
    return timer_left == 0;
}
static void nvm_init(void) {}
static uint32_t nvm_read(uint32_t at, uint8_t *to, uint32_t size) {
    (void)at, (void)to;
    return size;
}
static uint32_t nvm_write(uint32_t at, uint8_t *from, uint32_t size) {
    (void)at, (void)from;
    return size;
}

static const CO_IF_CAN_DRV can = {can_init, can_enable, can_read, can_send, can_reset, can_close};
static const CO_IF_TIMER_DRV timer = {timer_init,   timer_reload, timer_delay,
                                      timer_stop, timer_start,  timer_update};
static const CO_IF_NVM_DRV nvm = {nvm_init, nvm_read, nvm_write};
static CO_IF_DRV drivers = {&can, &timer, &nvm};

static uint8_t error_register;
static uint32_t vendor = 0x123, target = 55;
static uint16_t actual = 77;

#ifndef EXTRA_OBJECTS
#define EXTRA_OBJECTS
#endif
#define OBJECT(index, sub, flags, type, data) {CO_KEY(index, sub, flags), type, (CO_DATA)(data)}

static CO_OBJ dictionary[] = {
    OBJECT(0x1000, 0, CO_OBJ_D___R_, CO_TUNSIGNED32, 0x191),
    OBJECT(0x1001, 0, CO_OBJ_____R_, CO_TUNSIGNED8, &error_register),
    OBJECT(0x1014, 0, CO_OBJ_DN__R_, CO_TUNSIGNED32, 0x80),
    OBJECT(0x1018, 0, CO_OBJ_D___R_, CO_TUNSIGNED8, 4),
    OBJECT(0x1018, 1, CO_OBJ_____R_, CO_TUNSIGNED32, &vendor),
    OBJECT(0x1018, 2, CO_OBJ_D___R_, CO_TUNSIGNED32, 0),
    OBJECT(0x1018, 3, CO_OBJ_D___R_, CO_TUNSIGNED32, 0),
    OBJECT(0x1018, 4, CO_OBJ_D___R_, CO_TUNSIGNED32, 0),
    OBJECT(0x1200, 0, CO_OBJ_D___R_, CO_TUNSIGNED8, 2),
    OBJECT(0x1200, 1, CO_OBJ_DN__R_, CO_TUNSIGNED32, 0x600),
    OBJECT(0x1200, 2, CO_OBJ_DN__R_, CO_TUNSIGNED32, 0x580),
    EXTRA_OBJECTS
    OBJECT(0x2100, 1, CO_OBJ_____RW, CO_TUNSIGNED32, &target),
    OBJECT(0x2100, 2, CO_OBJ_____R_, CO_TUNSIGNED16, &actual),
    CO_OBJ_DICT_ENDMARK,
};

static CO_EMCY_TBL emergencies[CO_EMCY_N] = {
    {CO_EMCY_REG_GENERAL, CO_EMCY_CODE_GEN_ERR},
    {CO_EMCY_REG_TEMP, CO_EMCY_CODE_TEMP_ERR},
    {CO_EMCY_REG_VOLTAGE, CO_EMCY_CODE_VOL_ERR},
    {CO_EMCY_REG_TEMP, CO_EMCY_CODE_TEMP_DEVICE_ERR},
};
static CO_TMR_MEM timers[3];
static uint8_t sdo_buffer[CO_SSDO_N * CO_SDO_BUF_BYTE];
static CO_NODE node;
static CO_NODE_SPEC spec = {.NodeId = 5,
                            .Baudrate = 250000,
                            .Dict = dictionary,
                            .DictLen = sizeof dictionary / sizeof dictionary[0],
                            .EmcyCode = emergencies,
                            .TmrMem = timers,
                            .TmrNum = 3,
                            .TmrFreq = 1000,
                            .Drv = &drivers,
                            .SdoBuf = sdo_buffer};

/* The node is pre-operational after this. */
static inline void boot(void) {
    CONodeInit(&node, &spec);
    CONodeStart(&node);
}

/* The node works on one frame of eight bytes. */
static inline void receive(uint32_t identifier, const uint8_t *data) {
    incoming.Identifier = identifier;
    incoming.DLC = 8;
    for (int i = 0; i < 8; i++)
        incoming.Data[i] = data[i];
    incoming_size = sizeof incoming;
    CONodeProcess(&node);
}
