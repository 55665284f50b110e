#include "engine/outbox/transaction.h"

#include "base/fault.h"

gboolean
transaction_begin (Transaction *transaction, Publisher *publisher, Pg *pg, GError **error)
{
  *transaction = (Transaction){ publisher, pg, NULL };
  return pg_begin (pg, error) && publisher_remove_sent (publisher, pg, &transaction->sent, error);
}

gboolean
transaction_flush (Transaction *transaction, GError **error)
{
  return transaction->sent == NULL
         || (pg_flush (transaction->pg, error) && pg_finish (transaction->pg, error));
}

gboolean
transaction_commit (Transaction *transaction, GError **error)
{
  FAULT ("step.before_commit");
  if (!pg_commit (transaction->pg, error))
    return FALSE;
  FAULT ("step.after_commit");
  publisher_removed (transaction->publisher, g_steal_pointer (&transaction->sent));
  return TRUE;
}

void
transaction_rollback (Transaction *transaction)
{
  pg_rollback (transaction->pg);
  publisher_keep_sent (transaction->publisher, g_steal_pointer (&transaction->sent));
}

gboolean
transaction_remove_sent (Publisher *publisher, Pg *pg, GError **error)
{
  Transaction transaction = { 0 };
  if (!publisher_has_sent (publisher))
    return TRUE;
  /* it is no step, so it does not pass the fault points of transaction_commit */
  gboolean ok = transaction_begin (&transaction, publisher, pg, error)
                && transaction_flush (&transaction, error) && pg_commit (pg, error);
  if (ok)
    publisher_removed (publisher, transaction.sent);
  else
    publisher_keep_sent (publisher, transaction.sent);
  return ok;
}
