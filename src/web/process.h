/* Metrics of this process from the kernel (`process_*`), and `pruned_build_info`.
 *
 * Threads: any. Ownership: none.
 */
#pragma once
#include <glib.h>

void process_add (GString *body);
