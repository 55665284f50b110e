/* The proxies of `[http] trusted_proxies`: each stands for many people, and says who they are.
 *
 * Threads: any, once made. Ownership: proxies_free.
 */
#pragma once
#include "base/error.h"

#include <sys/socket.h>

typedef struct _Proxies Proxies;
/* TEXT: addresses and networks, with commas. NULL: PRUNED_FATAL, one of them is neither. */
Proxies *proxies_new (const char *text, GError **error);
void proxies_free (Proxies *proxies); /* NULL: nothing */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Proxies, proxies_free)
gboolean proxies_any (const Proxies *proxies);
/* ADDRESS is one of them; NULL: it is not known. */
gboolean proxies_has (const Proxies *proxies, const struct sockaddr *address);
