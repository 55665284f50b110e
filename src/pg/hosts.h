/* The hosts of a url that names several. libpq takes the first one that suits, and cannot be told
 * that a server does not: then each is tried by itself.
 *
 * Threads: any. Ownership: g_ptr_array_unref the list.
 */
#pragma once
#include <glib.h>

typedef struct {
  char *host, *port; /* as the url has them; libpq's default port where it names none */
} Host;

/* In the url's order. Empty: it names one host at most, or hosts by `hostaddr`, or is no url. */
GPtrArray *hosts_of (const char *url);
