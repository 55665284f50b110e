/* What the daemon has to bear from Kafka while it runs (brokers away, a topic gone), said when it
 * changes. Thread: main.
 */
#pragma once
#include "engine/service/service.h"

/* Is all well? Trouble that two looks saw is logged once, and once more when it is over. */
gboolean health_look (Service *service);
