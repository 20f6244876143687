package bind

import "streamsql/catalog"

// Needs lists the privileges that a statement asks for, for catalog.Check.
func Needs(s Statement) []catalog.Need {
	switch s := s.(type) {
	case *SelectStatement:
		return reading(nil, s.Reads)
	case *Insert:
		p := catalog.Insert
		if s.Replace {
			p |= catalog.Delete
		}
		if len(s.OnDuplicate) > 0 {
			p |= catalog.Update
		}
		return reading(on(p, s.Table), s.Reads)
	case *LoadData:
		p := catalog.Insert
		if s.Replace {
			p |= catalog.Delete
		}
		return reading(on(p, s.Table), s.Reads)
	case *Update:
		return reading(on(catalog.Update, s.Table), s.Reads)
	case *Delete:
		return reading(on(catalog.Delete, s.Table), s.Reads)
	case *CreateDatabase:
		return []catalog.Need{{Privilege: catalog.Create, Database: s.Name}}
	case *DropDatabase:
		return []catalog.Need{{Privilege: catalog.Drop, Database: s.Name}}
	case *CreateTable:
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
	case *CreateIndex:
		return []catalog.Need{{Privilege: catalog.Index, Database: s.Table.DB, Table: s.Table.Name}}
	case *DropIndex:
		return []catalog.Need{{Privilege: catalog.Index, Database: s.Table.DB, Table: s.Table.Name}}
	case *AlterTable:
		return []catalog.Need{{Privilege: catalog.Alter, Database: s.Name.DB, Table: s.Name.Name}}
	case *DropTables:
		var out []catalog.Need
		for _, n := range s.Names {
			out = append(out, catalog.Need{Privilege: catalog.Drop, Database: n.DB, Table: n.Name})
		}
		return out
	case *CreateFunction:
		p := catalog.CreateRoutine
		if s.OrReplace {
			p |= catalog.AlterRoutine
		}
		needs := []catalog.Need{{Privilege: p, Database: s.Function.Database()}}
		if s.File != "" { // of the server
			needs = append(needs, catalog.Need{Privilege: catalog.File})
		}
		return needs
	case *CreateSecret:
		return secretNeeds(catalog.Create)
	case *DropSecret:
		return secretNeeds(catalog.Drop)
	case *DropFunction:
		return []catalog.Need{{Privilege: catalog.AlterRoutine, Database: s.Name.DB}}
	case *Control:
		return on(catalog.Alter, s.Query)
	case *Analyze:
		return on(catalog.Select, s.Query)
	case *Subscribe:
		return on(catalog.Subscribe, s.View)
	case *Explain:
		return Needs(s.Statement)
	}
	return nil
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
