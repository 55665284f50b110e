#include "avro/message.h"

/* Only avro-c's pkg-config file has its version. */
const char *
message_library_version (void)
{
  return AVRO_C_VERSION;
}
