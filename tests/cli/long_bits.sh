# The same bits with the kernels of machines that have AVX2 and no more ($ZBOUND_NARROW).
: "${ZBOUND_NARROW:?the path of the program without AVX-512}"
if [ ! -x "$ZBOUND_NARROW" ]; then
    echo "skipped: zbound_narrow was not built"
    exit 77
fi
ZBOUND_PLAIN=$ZBOUND_NARROW exec bash "$(dirname "$0")/bits.sh"
