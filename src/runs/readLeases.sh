
# Prints "gpu ID [run number session]" for each GPU and "slot" for each taken slot. Needs leases.sh,
# $place (the parent of the leases folder), and $listed (the GPUs that runs may take).
leases=$place/leases/$(host_folder)
for gpu in $(gpu_ids "$listed"); do
  lease=$leases/gpu-$gpu
  if is_held "$lease"; then
    echo "gpu $gpu $(value run "$lease") $(value number "$lease") $(value session "$lease")"
  else
    echo "gpu $gpu"
  fi
done
for lease in "$leases"/slot-*; do
  if is_held "$lease"; then echo slot; fi
done
