#include "base/error.h"

G_DEFINE_QUARK (pruned - error - quark, pruned_error)
