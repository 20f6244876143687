package builtin

import "strings"

// locale is how numbers are written at a place.
type locale struct {
	point, separator string
	first, others    int // digits of the last group, and of those before it; 0: no groups
}

var english = locale{".", ",", 3, 3}

// numberLocales are the places that write numbers otherwise than en_US.
var numberLocales = func() map[string]locale {
	m := map[string]locale{}
	add := func(l locale, names string) {
		for _, n := range strings.Fields(names) {
			m[n] = l
		}
	}
	add(locale{",", ".", 3, 3}, `be_BY da_DK de_BE de_DE de_LU es_AR es_BO es_CL es_CO es_EC es_ES es_PY es_UY es_VE fo_FO hu_HU id_ID is_IS lt_LT
		mn_MN nb_NO no_NO ro_RO ru_UA sq_AL tr_TR uk_UA vi_VN`)
	add(locale{",", " ", 3, 3}, "bg_BG cs_CZ es_CR et_EE fi_FI lv_LV mk_MK ru_RU sk_SK sv_FI sv_SE")
	add(locale{",", "'", 3, 3}, "it_CH rm_CH")
	add(locale{".", "'", 3, 3}, "de_CH")
	add(locale{",", "", 0, 0}, "ca_ES de_AT el_GR eu_ES fr_BE fr_CA fr_CH fr_FR fr_LU gl_ES hr_HR it_IT nl_BE nl_NL pl_PL pt_BR pt_PT sl_SI")
	add(locale{".", "", 0, 0}, "ar_SA sr_RS")
	add(locale{".", ",", 3, 2}, "en_IN ta_IN te_IN")
	add(english, `ar_AE ar_BH ar_DZ ar_EG ar_IN ar_IQ ar_JO ar_KW ar_LB ar_LY ar_MA ar_OM ar_QA ar_SD ar_SY ar_TN ar_YE en_AU en_CA en_GB en_NZ
		en_PH en_US en_ZA en_ZW es_DO es_GT es_HN es_MX es_NI es_PA es_PE es_PR es_SV es_US gu_IN he_IL hi_IN ja_JP ko_KR ms_MY th_TH ur_PK zh_CN zh_HK zh_TW`)
	byLower := make(map[string]locale, len(m))
	for n, l := range m {
		byLower[strings.ToLower(n)] = l
	}
	return byLower
}()

// findLocale finds a locale by its name, in any case; en_US stands in for others.
func findLocale(name string) (locale, bool) {
	l, ok := numberLocales[strings.ToLower(name)]
	if !ok {
		return english, false
	}
	return l, true
}

// appendGrouped appends a number's text (digits, point, digits) as the place writes it.
func (l locale) appendGrouped(dst, text []byte) []byte {
	if text[0] == '-' {
		dst, text = append(dst, '-'), text[1:]
	}
	whole := len(text)
	for k, c := range text {
		if c == '.' {
			whole = k
		}
	}
	for k := range whole {
		if left := whole - k; k > 0 && l.first > 0 && left >= l.first && (left-l.first)%l.others == 0 {
			dst = append(dst, l.separator...)
		}
		dst = append(dst, text[k])
	}
	if whole == len(text) {
		return dst
	}
	return append(append(dst, l.point...), text[whole+1:]...)
}
