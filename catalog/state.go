package catalog

// generationBits is how far a generation lies above the id in a StateID: no stored
// object has an id of more bits.
const generationBits = 48

// StateID names the state of a continuous query, or of a table, where that is kept.
func (t *Table) StateID() uint64 { return uint64(t.ID) | t.Generation<<generationBits }

// OfState is the object that a state belongs, or belonged, to.
func OfState(id uint64) ID { return ID(id & (1<<generationBits - 1)) }
