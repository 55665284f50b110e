/* Which server a connection has, for people. */
#include "pg/pg_private.h"

#include <netinet/in.h>
#include <sys/socket.h>

gboolean
pg_is_local (const Pg *pg)
{
  int fd = pg->conn != NULL ? PQsocket (pg->conn) : -1;
  struct sockaddr_storage own = { 0 }, other = { 0 };
  socklen_t own_len = sizeof own, other_len = sizeof other;
  if (fd < 0 || getsockname (fd, (struct sockaddr *)&own, &own_len) != 0
      || getpeername (fd, (struct sockaddr *)&other, &other_len) != 0)
    return FALSE;
  if (own.ss_family == AF_INET)
    return ((struct sockaddr_in *)&own)->sin_addr.s_addr
           == ((struct sockaddr_in *)&other)->sin_addr.s_addr;
  if (own.ss_family == AF_INET6)
    return IN6_ARE_ADDR_EQUAL (&((struct sockaddr_in6 *)&own)->sin6_addr,
                               &((struct sockaddr_in6 *)&other)->sin6_addr);
  return own.ss_family == AF_UNIX;
}

char *
pg_host (const Pg *pg)
{
  const char *host = pg->conn != NULL ? PQhost (pg->conn) : NULL,
             *port = pg->conn != NULL ? PQport (pg->conn) : NULL;
  if (host == NULL || *host == '\0' || pg_is_local (pg))
    host = g_get_host_name ();
  return g_strconcat (host, ":", port != NULL ? port : "", NULL);
}

int
pg_server_version (const Pg *pg)
{
  return pg->conn != NULL ? PQserverVersion (pg->conn) : 0;
}

char *
pg_library_version (void)
{
  int version = PQlibVersion ();
  return g_strdup_printf ("%d.%d", version / 10000, version % 10000);
}
