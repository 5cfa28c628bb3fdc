# Sourced by the tests of zbound-mpi, after common.bash. $ZBOUND_MPI is the program.
for tool in "${ZBOUND_MPI:-}" mpirun; do
    [ -n "$tool" ] && command -v "$tool" >/dev/null && continue
    echo "skipped: $(basename "$0" .sh): MPI is not installed"
    exit 77
done
# As root, in a container, more ranks than cores, no network (docs/guide-cluster.md)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 \
    OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none \
    OMPI_MCA_plm=isolated OMPI_MCA_oob_tcp_if_include=lo OMP_WAIT_POLICY=passive

# ranks CODE N ARGUMENT...: like run, over N ranks
ranks() {
    local want=$1 n=$2
    shift 2
    line="mpirun -n $n zbound-mpi $*"
    code=0
    mpirun -n "$n" "$ZBOUND_MPI" "$@" >"$out" 2>"$err" </dev/null || code=$?
    [ "$code" = "$want" ] || fail "$line: expected exit code $want"
    [ "$want" = 0 ] || [ ! -s "$out" ] || fail "$line: stdout must be empty"
}

# A model that does not fit 64M at once: its slices do
wide=(--memory 64M --time 0 --threads 1 --json)
write_wide() {
    run 0 generate random --variables 28 --factors 700 --arity 2 --cardinality 2 --seed 1 \
        -o "$1"
}

# same_answer LOWER UPPER RANKS
same_answer() {
    key_is exact true
    key_is ranks "$3"
    key_is log_lower "$1"
    key_is log_upper "$2"
}
