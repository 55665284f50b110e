#include "base/error.h"

G_DEFINE_QUARK (pruned_error, pruned_error)
