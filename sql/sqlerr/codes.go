package sqlerr

// MySQL's error numbers, by the names of its manual without the ER_ prefix.
const (
	DBCreateExists        = 1007
	DBDropExists          = 1008
	CannotStat            = 13
	FileNotFound          = 1017
	DiskFull              = 1021
	DupKey                = 1022
	WriteFailed           = 1026
	ConCount              = 1040
	OutOfResources        = 1041
	BadHost               = 1042
	HandshakeError        = 1043
	DBAccessDenied        = 1044
	AccessDenied          = 1045
	NoDB                  = 1046
	UnknownCommand        = 1047
	BadNull               = 1048
	BadDB                 = 1049
	TableExists           = 1050
	BadTable              = 1051
	NonUniq               = 1052
	ServerShutdown        = 1053
	BadField              = 1054
	WrongFieldWithGroup   = 1055
	WrongGroupField       = 1056
	WrongValueCount       = 1058
	TooLongIdent          = 1059
	DupFieldName          = 1060
	DupKeyName            = 1061
	WrongNameForIndex     = 1280
	DupEntry              = 1062
	WrongFieldSpec        = 1063
	ParseError            = 1064
	EmptyQuery            = 1065
	NonUniqTable          = 1066
	InvalidDefault        = 1067
	MultiplePriKey        = 1068
	TooManyKeys           = 1069
	KeyColumnDoesNotExist = 1072
	TooBigFieldLength     = 1074
	WrongAutoKey          = 1075
	FileExists            = 1086
	CantDropFieldOrKey    = 1091
	CantRemoveAllFields   = 1090
	DependentByGenerated  = 3108
	NoSuchThread          = 1094
	KillDenied            = 1095
	NoTablesUsed          = 1096
	BlobCantHaveDefault   = 1101
	WrongDBName           = 1102
	WrongTableName        = 1103
	UnknownError          = 1105
	UnknownTable          = 1109
	FieldSpecifiedTwice   = 1110
	InvalidGroupFuncUse   = 1111
	UnsupportedExt        = 1112
	TableMustHaveColumns  = 1113
	UnknownCharset        = 1115
	TooBigRowsize         = 1118
	WrongValueCountOnRow  = 1136
	MixOfGroupFunc        = 1140
	TableAccessDenied     = 1142
	ColumnAccessDenied    = 1143
	NoSuchTable           = 1146
	SyntaxError           = 1149
	PacketTooLarge        = 1153
	PrimaryCantHaveNull   = 1171
	LockWaitTimeout       = 1205
	WrongArguments        = 1210
	LockDeadlock          = 1213
	CantDoThisDuringTrx   = 1179
	UnknownSystemVariable = 1193
	SpecificAccessDenied  = 1227
	LocalVariable         = 1228
	GlobalVariable        = 1229
	WrongValueForVar      = 1231
	WrongTypeForVar       = 1232
	NotSupportedYet       = 1235
	IncorrectGlobalLocal  = 1238
	OperandColumns        = 1241
	SubqueryNo1Row        = 1242
	UnknownStmtHandler    = 1243
	NonUpdatableTable     = 1288
	OptionPreventsStmt    = 1290
	DupArgument           = 1225
	WarnTooFewRecords     = 1261
	WarnTooManyRecords    = 1262
	WarnDataTruncated     = 1265
	WarnDataOutOfRange    = 1264
	TruncatedWrongValue   = 1292
	CollationMismatch     = 1267
	CollationMismatch3    = 1270
	CollationsMismatch    = 1271
	CollationCharset      = 1253
	UnknownCollation      = 1273
	DivisionByZero        = 1365
	TruncatedWrongField   = 1366
	NoDefaultForField     = 1364
	UnknownTimeZone       = 1298
	SPDoesNotExist        = 1305
	SPAlreadyExists       = 1304
	SPDuplicateParam      = 1330
	SPWrongName           = 1458
	NativeFunctionName    = 1585
	SPWrongNumberOfArgs   = 1318
	SignalException       = 1644
	CantInitializeUDF     = 1123
	UDFNoPaths            = 1124
	CantOpenLibrary       = 1126
	QueryInterrupted      = 1317
	TooManyConcurrentTrxs = 1637
	ViewWrongList         = 1353
	WrongObject           = 1347
	TooLongString         = 1406
	TableDefChanged       = 1412
	InvalidCharacter      = 1300
	WrongParamCountNative = 1582
	DataOutOfRange        = 1690
	TooBigScale           = 1425
	TooBigPrecision       = 1426
	MBiggerThanD          = 1427
	LocalInfileDisabled   = 3948
	GeneratedColumn       = 3105
	GeneratedDisallowed   = 3102
	GeneratedOrder        = 3107
	GeneratedFromAuto     = 3109
	InvalidJSONText       = 3140
	InvalidJSONType       = 3853
	RegexpError           = 3685
	RegexpOutOfBounds     = 3686
	RegexpSyntax          = 3688
	RegexpBadEscape       = 3689
	RegexpMismatchedParen = 3691
	RegexpBadInterval     = 3692
	RegexpMaxLessThanMin  = 3693
	RegexpMissingBracket  = 3696
	RegexpInvalidRange    = 3697
	RegexpTooBig          = 3700
	RegexpBadGroupName    = 3887
	InvalidJSONForCast    = 3156
	QueryTimeout          = 3024
	InvalidCastToJSON     = 3146
	DuplicatedValueInType = 1291
	ForeignKeyUnsupported = 1215
	WrongUsage            = 1221
	PSManyParam           = 1390
	UpdateTableUsed       = 1093
	InvalidUseOfNull      = 1138
	WrongValueForType     = 1411
	ZlibTooBig            = 1256
	ZlibData              = 1259
	WrongParametersNative = 1583
	WarnAllowedPacket     = 1301
	UnknownLocale         = 1649
	WarnOptionIgnored     = 1618
	AESInvalidIV          = 1882
	UnknownExplainFormat  = 1791
	ReadOnlyTransaction   = 1792
	FuncNotExist          = 1630
	IllegalValueForType   = 1367
	TooHighLevelOfNesting = 1473
	DropWithReaders       = 3730 // MySQL: a table that a foreign key refers to
	FieldInOrderNotSelect = 3065
	WrongColumnCount      = 1222 // UNION
	DerivedMustHaveAlias  = 1248
	NonGroupingField      = 1463
	TooManyTables         = 1116
	TooManyFields         = 1117
	BlobKeyWithoutLength  = 1170
	JSONUsedAsKey         = 3152
	ViewInvalid           = 1356
	ViewSelectVariable    = 1351
	AutoIncReadFailed     = 1467
	NonInsertableTable    = 1471
	WrongValue            = 1525
	WrongColumnName       = 1166
	CutByGroupConcat      = 1260
	JSONNullKey           = 3158
	CapacityExceeded      = 3170
	GroupingNotGrouped    = 3602
	InvalidJSONPath       = 3143
	InvalidJSONTextInArg  = 3141
	JSONPathWildcard      = 3149
	MissingJSONTableValue = 3665
	WrongJSONTableValue   = 3666
	TableFunctionAlias    = 3667
	TableFunctionJoin     = 3668
	JSONTableOutOfRange   = 3669
	JSONTableNesting      = 3670
	JSONBadOneOrAll       = 3154
	JSONPathToRoot        = 3153
	JSONArrayCell         = 3165
	JSONDepthExceeded     = 3157
	CTEMaxRecursionDepth  = 3636
	// of recursive common table expressions
	CTERecursiveRequiresUnion             = 3573
	CTERecursiveRequiresNonrecursiveFirst = 3574
	CTERecursiveForbidsAggregation        = 3575
	CTERecursiveForbiddenJoinOrder        = 3576
	CTERecursiveRequiresSingleReference   = 3577
)

var states = map[uint16]string{
	ConCount: "08004", BadHost: "08S01", HandshakeError: "08S01", DBAccessDenied: "42000", AccessDenied: "28000",
	NoDB: "3D000", UnknownCommand: "08S01", BadNull: "23000", BadDB: "42000", TableExists: "42S01", BadTable: "42S02",
	NonUniq: "23000", ServerShutdown: "08S01", BadField: "42S22", WrongFieldWithGroup: "42000", WrongGroupField: "42000",
	WrongValueCount: "21S01", TooLongIdent: "42000", DupFieldName: "42S21", CantDropFieldOrKey: "42000", CantRemoveAllFields: "42000", DupKeyName: "42000", WrongNameForIndex: "42000", DupEntry: "23000",
	WrongFieldSpec: "42000", ParseError: "42000", EmptyQuery: "42000", NonUniqTable: "42000", InvalidDefault: "42000",
	MultiplePriKey: "42000", TooManyKeys: "42000", KeyColumnDoesNotExist: "42000", TooBigFieldLength: "42000",
	WrongAutoKey: "42000", BlobCantHaveDefault: "42000", WrongDBName: "42000", WrongTableName: "42000",
	UnknownTable: "42S02", FieldSpecifiedTwice: "42000", UnsupportedExt: "42000", TableMustHaveColumns: "42000",
	UnknownCharset: "42000", TooBigRowsize: "42000", WrongValueCountOnRow: "21S01", MixOfGroupFunc: "42000",
	TableAccessDenied: "42000", ColumnAccessDenied: "42000", NoSuchTable: "42S02", SyntaxError: "42000",
	PacketTooLarge: "08S01", PrimaryCantHaveNull: "42000", LockDeadlock: "40001", CantDoThisDuringTrx: "25000",
	SpecificAccessDenied: "42000", WrongValueForVar: "42000", WrongTypeForVar: "42000", NotSupportedYet: "42000",
	OperandColumns: "21000", SubqueryNo1Row: "21000", LocalInfileDisabled: "42000", WarnTooFewRecords: "01000", WarnTooManyRecords: "01000", WarnDataTruncated: "01000", WarnDataOutOfRange: "22003",
	TruncatedWrongValue: "22007", DivisionByZero: "22012", SPDoesNotExist: "42000", SPAlreadyExists: "42000", SPDuplicateParam: "42000", SPWrongName: "42000", SPWrongNumberOfArgs: "42000", QueryInterrupted: "70100",
	TooLongString: "22001", WrongParamCountNative: "42000", DataOutOfRange: "22003", TooBigScale: "42000",
	TooBigPrecision: "42000", MBiggerThanD: "42000", InvalidJSONText: "22032", InvalidCastToJSON: "22032",
	InvalidUseOfNull: "22004", ReadOnlyTransaction: "25006", IllegalValueForType: "22007", DBDropExists: "HY000",
	DBCreateExists: "HY000", InvalidGroupFuncUse: "HY000", TruncatedWrongField: "HY000",
	BlobKeyWithoutLength: "42000", JSONUsedAsKey: "42000", DropWithReaders: "HY000", WrongColumnCount: "21000", DerivedMustHaveAlias: "42000", NonGroupingField: "42000",
	WrongColumnName: "42000", JSONNullKey: "22032",
	InvalidJSONTextInArg: "22032", InvalidJSONPath: "42000", JSONPathWildcard: "42000", JSONBadOneOrAll: "42000",
	JSONPathToRoot: "42000", JSONArrayCell: "42000", JSONDepthExceeded: "22032", FuncNotExist: "42000", DuplicatedValueInType: "HY000", KillDenied: "HY000", NoSuchThread: "HY000",
}
