#include "avro/message.h"

/* avro-c says it nowhere but in its pkg-config file. */
const char *
message_library_version (void)
{
  return AVRO_C_VERSION;
}
