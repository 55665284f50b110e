#include "web/proxies.h"

#include <gio/gio.h>
#include <netinet/in.h>

struct _Proxies {
  GPtrArray *masks; /* of GInetAddressMask */
};

Proxies *
proxies_new (const char *text, GError **error)
{
  g_autoptr (Proxies) proxies = g_new0 (Proxies, 1);
  proxies->masks = g_ptr_array_new_with_free_func (g_object_unref);
  g_auto (GStrv) each = g_strsplit (text, ",", -1);
  for (char **one = each; *one != NULL; one++) {
    if (*g_strstrip (*one) == '\0')
      continue;
    GInetAddressMask *mask = g_inet_address_mask_new_from_string (*one, NULL);
    if (mask == NULL)
      return error_null (error, PRUNED_FATAL,
                         "[http] trusted_proxies: '%s' is no address or network, like 10.0.0.7 or "
                         "10.0.0.0/8",
                         *one);
    g_ptr_array_add (proxies->masks, mask);
  }
  return g_steal_pointer (&proxies);
}

void
proxies_free (Proxies *proxies)
{
  if (proxies == NULL)
    return;
  g_ptr_array_unref (proxies->masks);
  g_free (proxies);
}

gboolean
proxies_any (const Proxies *proxies)
{
  return proxies->masks->len > 0;
}

gboolean
proxies_has (const Proxies *proxies, const struct sockaddr *address)
{
  gboolean has = FALSE;
  if (!proxies_any (proxies) || address == NULL
      || (address->sa_family != AF_INET && address->sa_family != AF_INET6))
    return FALSE;
  const gsize size
      = address->sa_family == AF_INET ? sizeof (struct sockaddr_in) : sizeof (struct sockaddr_in6);
  g_autoptr (GSocketAddress) from = g_socket_address_new_from_native ((gpointer)address, size);
  if (from == NULL)
    return FALSE;
  GInetAddress *host = g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (from));
  for (guint i = 0; i < proxies->masks->len; i++)
    has = has || g_inet_address_mask_matches (proxies->masks->pdata[i], host);
  return has;
}
