package engine

import "streamsql/engine/cutlog"

// stampsOf are the stamps of the external partitions that a batch reads.
func stampsOf(inputs []sourceInput) map[uint64][]int64 {
	var out map[uint64][]int64
	for _, in := range inputs {
		if in.before != nil {
			if out == nil {
				out = map[uint64][]int64{}
			}
			out[uint64(in.table)] = in.before
		}
	}
	return out
}

// retake lets the clocks of external streams take in a recorded cut, which moved
// their offsets on from those before.
func (e *Engine) retake(before map[uint64][]uint64, r *cutlog.Record) error {
	for id, x := range e.externals {
		s := e.streams.of[id]
		stamps := r.Stamps[uint64(id)]
		if s == nil || s.clock == nil || stamps == nil {
			continue
		}
		from := before[uint64(id)]
		for p, to := range r.Offsets[uint64(id)] {
			at := uint64(0)
			if p < len(from) {
				at = from[p]
			}
			if to == at {
				continue
			}
			high, err := x.highestOf(e.ctx, p, at, to)
			if err != nil {
				return err
			}
			s.clock.Take(p, stamps[p], high, r.Time)
		}
	}
	return nil
}

// arrivalPartition is where in the arrival of an external row its partition
// stands, above the offset.
const arrivalPartition = 48

// externalArrival is the arrival of a row of an external stream.
func externalArrival(part int, offset uint64) uint64 {
	return uint64(part)<<arrivalPartition | offset
}
