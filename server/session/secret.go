package session

import "strings"

// shownText is a statement as lists of processes show it: without the text of a secret.
func shownText(text string) string {
	const most = 64 // bytes within which the words stand
	words := strings.Fields(strings.ToUpper(text[:min(len(text), most)]))
	for i, w := range words {
		if w == "SECRET" && words[0] == "CREATE" && i < 4 {
			return "CREATE SECRET …"
		}
	}
	return text
}
