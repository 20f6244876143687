package sqlerr

// The errors of window functions.
const (
	WindowNoSuchWindow        = 3579
	WindowCircularity         = 3580
	WindowNoChildPartitioning = 3581
	WindowNoInheritFrame      = 3582
	WindowNoRedefineOrderBy   = 3583
	WindowFrameStartIllegal   = 3584
	WindowFrameEndIllegal     = 3585
	WindowFrameIllegal        = 3586
	WindowRangeFrameOrderType = 3587
	WindowRangeTemporalType   = 3588
	WindowRangeNumericType    = 3589
	WindowRangeNotConstant    = 3590
	WindowDuplicateName       = 3591
	WindowIllegalOrderBy      = 3592
	WindowInvalidUse          = 3593
	WindowInvalidAliasUse     = 3594
	WindowNestedInSpec        = 3595
	WindowRowsInterval        = 3596
	WindowIgnoresFrame        = 3599
)
