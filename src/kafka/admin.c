#include "kafka/admin.h"
#include "kafka/client.h"
