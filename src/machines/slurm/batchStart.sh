if [ ! -s "$helios_folder/job" ]; then
  (
    umask 077
    printf '%s\n' "${SLURM_ARRAY_JOB_ID:+${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID}" | sed "s/^$/$SLURM_JOB_ID/" \
      >"$helios_folder/job.node" && mv -f "$helios_folder/job.node" "$helios_folder/job"
  )
fi

# Runs the scripts that Helios has written to the folder "orders" to run on this node. Writes the
# output of each script to a file with the extension .out.
helios_orders() {
  for helios_order in "$helios_folder"/orders/*.sh; do
    mv -f "$helios_order" "${helios_order%.sh}.taken" 2>/dev/null || continue
    helios_order=${helios_order%.sh}
    /bin/sh "$helios_order.taken" >"$helios_order.tmp" 2>/dev/null </dev/null
    mv -f "$helios_order.tmp" "$helios_order.out"
  done
}

cd -- "$helios_cwd" || exit 1
