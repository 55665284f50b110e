/* Shared by the unit tests of src/avro/message.h: values written by other libraries, and the reason
 * for a refusal.
 *
 * Ownership: results belong to the caller.
 */
#pragma once
#include "avro/message.h"

#define RUN "33c50bbf-59ca-51b4-a4cd-84473abeb18f"
#define RUN_HEX "4833336335306262662d353963612d353162342d613463642d383434373361626562313866"

/* Values that fastavro 1.13 has written, in the frame of single-object encoding. */
#define TICK_HEX                                                                                   \
  "c3015e7c9269b442011b2c6d656d626572732e72656d6f76655f65787069726564028098c8e7c5afb006047b7d"
#define TICK_DEFAULTS_HEX "c3015e7c9269b442011b026a00047b7d"
#define TICK_ARGS_HEX                                                                              \
  "c3015e7c9269b442011b026a004e7b202262223a20312e302c202261223a203132333435363738393031323334"     \
  "353637383930207d"
#define WORK_HEX                                                                                   \
  "c3019a2a5496e97f43f4" RUN_HEX "2c6d656d626572732e72656d6f76655f65787069726564"                  \
  "06028098c8e7c5afb00680fb9bf1c5afb006047b7d024c7b22657870697265735f6174223a22323032362d31312d"   \
  "3230222c226964223a31323334357d"
#define EXPIRY_HEX "c3018d78a00a9c7f9a6efeffffffffffffffff0102e8c402"
#define EXPIRY_NULL_HEX "c3018d78a00a9c7f9a6e0900"
#define OBJECTS_HEX "c301509bfd18d74f41d3"
#define REMOVED_HEX                                                                                \
  "c3016dbbbef4c8959854" RUN_HEX "005400124e616d6573706163650e020e6402010e65787069726564"
#define PROCESSED_HEX "c30172b8a744c811ad35" RUN_HEX "0402040608060a0b8080808080808080800100"
#define FINISHED_HEX                                                                               \
  "c301f680595781eaa1a8" RUN_HEX "04026a1066696e69736865644e7b22737461747573223a22636f6d706c6574"  \
  "6564222c22757064617465645f726f7773223a337d00"

#define TICK_FRAME "\xc3\x01\x5e\x7c\x92\x69\xb4\x42\x01\x1b"
#define WORK_FRAME "\xc3\x01\x9a\x2a\x54\x96\xe9\x7f\x43\xf4"
#define EXPIRY_FRAME "\xc3\x01\x8d\x78\xa0\x0a\x9c\x7f\x9a\x6e"
#define PROCESSED_FRAME "\xc3\x01\x72\xb8\xa7\x44\xc8\x11\xad\x35"
#define EXPIRY "pruned.events.MemberExpirySet"

GByteArray *bytes_of (const char *hex);
char *hex_of (const GByteArray *bytes);
json_t *json_of (const char *text);

/* Asserts that SOURCE is refused; returns the reason. */
char *reason_of (const MessageSource *source);
MessageSource on_ticks (const char *value, gsize len);
void assert_tick (const char *value, gsize len, const char *wanted);
void assert_event (const char *value, gsize len, const char *wanted);

#define TICK(literal, wanted) assert_tick (literal, sizeof (literal) - 1, wanted)
#define EVENT(literal, wanted) assert_event (literal, sizeof (literal) - 1, wanted)
