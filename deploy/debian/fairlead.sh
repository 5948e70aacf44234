#!/bin/sh
# The command of the package reads the configuration of its service, unless the caller names another. An empty variable stands
# for none.
if [ -z "${FAIRLEAD_CONFIG+set}" ] && [ -e /etc/fairlead/fairlead.toml ]; then
  export FAIRLEAD_CONFIG=/etc/fairlead/fairlead.toml
fi
exec /usr/lib/fairlead/fairlead "$@"
