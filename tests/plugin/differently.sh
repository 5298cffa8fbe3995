#!/usr/bin/env bash
# Runs an application for whose rank 0 the environment says something else: VARIABLE=VALUE.
setting=$1
shift
[ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-}}" = 0 ] && export "$setting"
exec "$@"
