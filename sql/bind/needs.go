package bind

import "streamsql/catalog"

// Needs lists the privileges that a statement asks for, for catalog.Check.
func Needs(s Statement) []catalog.Need { return s.needs() }

func (s *SelectStatement) needs() []catalog.Need {
	return reading(nil, s.Reads)
}

func (s *Insert) needs() []catalog.Need {
	p := catalog.Insert
	if s.Replace {
		p |= catalog.Delete
	}
	if len(s.OnDuplicate) > 0 {
		p |= catalog.Update
	}
	return reading(on(p, s.Table), s.Reads)
}

func (s *LoadData) needs() []catalog.Need {
	p := catalog.Insert
	if s.Replace {
		p |= catalog.Delete
	}
	return reading(on(p, s.Table), s.Reads)
}

func (s *Update) needs() []catalog.Need {
	return reading(on(catalog.Update, s.Table), s.Reads)
}

func (s *Delete) needs() []catalog.Need {
	if s.Truncate {
		return on(catalog.Drop, s.Table)
	}
	return reading(on(catalog.Delete, s.Table), s.Reads)
}

func (s *CreateDatabase) needs() []catalog.Need {
	return []catalog.Need{{Privilege: catalog.Create, Database: s.Name}}
}

func (s *DropDatabase) needs() []catalog.Need {
	return []catalog.Need{{Privilege: catalog.Drop, Database: s.Name}}
}

func (s *CreateTable) needs() []catalog.Need {
	p := catalog.Create
	if s.Query != nil {
		p = catalog.CreateView
	}
	if s.OrReplace {
		p |= catalog.Drop
	}
	needs := on(p, s.Table)
	if s.Into != nil {
		needs = append(needs, on(catalog.Insert|catalog.Delete, s.Into)...)
	}
	return reading(needs, s.Reads)
}

func (s *CreateIndex) needs() []catalog.Need {
	return []catalog.Need{{Privilege: catalog.Index, Database: s.Table.DB, Table: s.Table.Name}}
}

func (s *DropIndex) needs() []catalog.Need {
	return []catalog.Need{{Privilege: catalog.Index, Database: s.Table.DB, Table: s.Table.Name}}
}

func (s *AlterTable) needs() []catalog.Need {
	return []catalog.Need{{Privilege: catalog.Alter, Database: s.Name.DB, Table: s.Name.Name}}
}

func (s *SetOptions) needs() []catalog.Need { return on(catalog.Alter, s.Table) }

func (s *DropTables) needs() []catalog.Need {
	var out []catalog.Need
	for _, n := range s.Names {
		out = append(out, catalog.Need{Privilege: catalog.Drop, Database: n.DB, Table: n.Name})
	}
	return out
}

func (s *CreateFunction) needs() []catalog.Need {
	p := catalog.CreateRoutine
	if s.OrReplace {
		p |= catalog.AlterRoutine
	}
	needs := []catalog.Need{{Privilege: p, Database: s.Function.Database()}}
	if s.File != "" { // of the server
		needs = append(needs, catalog.Need{Privilege: catalog.File})
	}
	return needs
}

func (*CreateSecret) needs() []catalog.Need {
	return secretNeeds(catalog.Create)
}

func (*DropSecret) needs() []catalog.Need {
	return secretNeeds(catalog.Drop)
}

func (s *DropFunction) needs() []catalog.Need {
	return []catalog.Need{{Privilege: catalog.AlterRoutine, Database: s.Name.DB}}
}

func (s *Control) needs() []catalog.Need {
	return on(catalog.Alter, s.Query)
}

func (s *Analyze) needs() []catalog.Need {
	return on(catalog.Select, s.Query)
}

func (s *Subscribe) needs() []catalog.Need {
	return on(catalog.Subscribe, s.View)
}

func (s *Explain) needs() []catalog.Need {
	return s.Statement.needs()
}

func (s *RenameTables) needs() []catalog.Need {
	var out []catalog.Need
	for _, m := range s.Moves {
		out = append(out,
			catalog.Need{Privilege: catalog.Alter | catalog.Drop, Database: m.From.DB, Table: m.From.Name},
			catalog.Need{Privilege: catalog.Create | catalog.Insert, Database: m.To.DB, Table: m.To.Name})
	}
	return out
}

func on(p catalog.Privilege, t *catalog.Table) []catalog.Need {
	return []catalog.Need{{Privilege: p, Database: t.Database, Table: t.Name}}
}

func reading(needs []catalog.Need, tables []*catalog.Table) []catalog.Need {
	for _, t := range tables {
		needs = append(needs, on(catalog.Select, t)...)
	}
	return needs
}
