#!/usr/bin/env bash
# The tests that ask the kernels, on another processor, which QEMU plays: `tests/emulated.sh arm64`, or s390x, whose bytes run the other
# way round. As root on Debian: a system of that kind is made in build/emulated, the kernels are compiled in it, and half an hour goes by.
set -euo pipefail
cd "$(dirname "$0")/.."
architecture=${1:?such as arm64 or s390x}
system=$PWD/build/emulated/$architecture
inside=$system/opt/tilelayout

apt-get install -qqy --no-install-recommends debootstrap qemu-user-static binfmt-support
mountpoint -q /proc/sys/fs/binfmt_misc || mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
update-binfmts --enable
if [[ ! -e $system/.made ]]; then
  mkdir -p "$system"
  debootstrap --arch="$architecture" --variant=minbase --include=ca-certificates,gcc,libc6-dev,python3-dev,python3-hypothesis,python3-numpy,python3-pip,python3-pytest,python3-pytest-xdist,python3-setuptools trixie "$system"
  touch "$system/.made"
fi
cp /etc/ssl/certs/ca-certificates.crt "$system/etc/ssl/certs/"

make build # Cython's C, which is the same everywhere
rm -rf "$inside" && mkdir -p "$inside/build"
cp -a src tests docs bench setup.py pyproject.toml "$inside"
cp -a build/cython "$inside/build"
find "$inside/src" -name '*.so' -delete

# What is mounted is so for the command alone, and gone with it however it ends: nobody who clears build/ finds the machine's own /dev there.
within() {
  unshare --mount bash -euc 'mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" && exec chroot "$0" "$@"' "$system" \
    env -C /opt/tilelayout PATH=/usr/bin:/bin HOME=/tmp LANG=C.UTF-8 PYTHONPATH=/opt/tilelayout/src:/opt/packages "$@"
}
within pip3 install --quiet --target /opt/packages --upgrade --no-deps 'cython>=3.1,<4' einops
within python3 setup.py --quiet build_ext --inplace
asked=(bitwise calls composed_copies copy_engine copy_slices cute_at_once cute_batch cute_kernel cute_modes einops few_queries guarded hostile_numbers
  index_kernels joining layout loops memory moves orders plans processes regions runs swizzled_copies threads)
if within pip3 install --quiet --target /opt/packages --upgrade --no-deps --only-binary :all: ml_dtypes safetensors; then
  asked+=(files pack regressions relayout small_copies)
fi
within python3 -m pytest -q --numprocesses auto --dist worksteal -p no:cacheprovider --hypothesis-profile=brief \
  -k 'not no_memory_holds and not short_time' $(printf "tests/test_%s.py " "${asked[@]}") # without those that bound the time
