type Query = <R>(text: string, values?: unknown[]) => Promise<R[]>

// Usage and stored bytes are counted in the background, so they do not show what a request changed.
const counted = ['request_count', 'rate_limit_hits', 'deprecated_calls', 'last_used_at', 'last_used_ip']
const counts = ['usage_hour', 'deprecated_call', 'stored_bytes', 'field_usage']
// Events get their positions after the commit, so positions are not compared; the events are.
const positions = 'event_(log|head|pending).*'

/** Tables of the platform that are compared, as a condition on `pg_class c` and `pg_namespace n`. */
const isCompared = `c.relname not in (${counts.map((table) => `'${table}'`).join()}) and c.relname !~ '^${positions}$'
  and n.nspname not in ('pg_catalog', 'information_schema', 'test') and n.nspname not like 'graphile%'`

/** The oid of the table that `c` is a partition of, or its own. */
const whole = `coalesce(pg_partition_root(c.oid), c.oid)::oid`

/**
 * Counts the statements that write to each table: its triggers raise a sequence that has the oid of the table as name, and one for
 * all tables. A table whose sequence is unchanged has its rows unchanged, which is much faster to see than by reading them. Refused
 * and rolled-back statements are counted, too, so only the rows decide where it differs.
 */
export const countWrites = [
  'create schema test',
  'create sequence test.writes',
  `create function test.count_write() returns trigger language plpgsql security definer set search_path = '' as
    $$ begin perform nextval('test.writes'); perform nextval(tg_argv[0]::regclass); return null; end $$`,
  `do $$
  declare name regclass; root oid;
  begin
    for name, root in select c.oid, ${whole} from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and ${isCompared}
    loop
      execute format('create sequence if not exists test.%I', root);
      execute format('create trigger count_write after insert or update or delete on %s execute function test.count_write(%L)',
        name, format('test.%I', root));
      execute format('create trigger count_truncate after truncate on %s execute function test.count_write(%L)',
        name, format('test.%I', root));
    end loop;
  end $$`,
]

/** The digests of one organization, or of all, by the oid of their table, each with the count of writes at which it was read. */
class KnownDigests {
  writes = ''
  digest = ''
  readonly tables = new Map<string, { writes: string; digest: string }>()
}

/** The fingerprints of one database. */
export class Fingerprints {
  readonly #known = new Map<string, KnownDigests>()

  constructor(private readonly query: Query) {}

  async of(organizationId?: string): Promise<string> {
    const [row] = await this.query<{ writes: string }>(
      `select last_value || ' ' || is_called as writes from test.writes`,
    )
    const { writes } = row!
    const known = this.#known.get(organizationId ?? '') ?? new KnownDigests()
    this.#known.set(organizationId ?? '', known)
    if (known.writes === writes) return known.digest
    // A third of the time of the view `pg_sequences`, which reads more of each sequence.
    const tables = await this.query<{ oid: string; writes: string }>(
      `select relname as oid, coalesce(pg_sequence_last_value(oid), 0)::text as writes from pg_class
       where relnamespace = 'test'::regnamespace and relkind = 'S' and relname <> 'writes' order by relname`,
    )
    const changed = tables.filter(({ oid, writes: count }) => known.tables.get(oid)?.writes !== count)
    const digests = await digestsOf(this.query, organizationId, changed)
    for (const { oid, writes: count } of changed) {
      const digest = digests.filter(({ root }) => root === oid).map((each) => `${each.name} ${each.digest}`)
      known.tables.set(oid, { writes: count, digest: digest.join('\n') })
    }
    known.digest = [...known.tables.values()].map(({ digest }) => digest).join('\n')
    known.writes = writes
    return known.digest
  }
}

interface Digest {
  readonly name: string
  readonly root: string
  readonly digest: string
}

interface Table {
  readonly name: string
  /** The oid of the table that it is a partition of, or its own. */
  readonly root: string
  /** Whether its rows belong to organizations. */
  readonly owned: boolean
}

/** All tables that are compared, and partitions of them. */
const allTables = `
  select format('%I.%I', n.nspname, c.relname) as name, ${whole}::text as root,
    exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id') as owned
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and ${isCompared}
  order by 1`

/** The same of some of the tables. It reads no entry of another one, because to look at all of them takes 25 ms. */
const tablesOf = `
  select format('%s.%I', c.relnamespace::regnamespace, c.relname) as name, root::text as root,
    (select true from pg_attribute where attrelid = part.oid and attname = 'organization_id' limit 1) is not null as owned
  from unnest($1::oid[]) as root
  cross join lateral (select root as oid union all select relid from pg_partition_tree(root) where relid <> root) part
  cross join lateral (select relnamespace, relname from pg_class where oid = part.oid and relkind = 'r' limit 1) c
  order by 1`

/**
 * A digest of all rows of tables, independent of the order of rows. A row counts by the transaction that wrote it, which differs after
 * every insert and update, even with the same values, and is much faster to read than the values.
 */
async function digestsOf(
  query: Query,
  organizationId: string | undefined,
  roots?: readonly { readonly oid: string }[],
): Promise<readonly Digest[]> {
  if (roots?.length === 0) return []
  const tables = await (roots ? query<Table>(tablesOf, [roots.map(({ oid }) => oid)]) : query<Table>(allTables))
  const without = counted.map((column) => ` - '${column}'`).join('')
  const digests = tables
    .filter(({ owned }) => owned || organizationId === undefined)
    .map(({ name, root }) => {
      const own = organizationId === undefined ? '' : `where organization_id = '${organizationId}'`
      const row = name === 'identity.api_key' ? `(to_jsonb(t)${without})::text` : 't.xmin::text'
      return `select '${name}' as name, '${root}' as root,
        count(*) || ' ' || coalesce(sum(hashtextextended(${row}, 0)), 0) as digest from ${name} t ${own}`
    })
  if (digests.length === 0) return []
  return query<Digest>(`${digests.join(' union all ')} order by name`)
}

/** A digest of all rows of all tables, without the count of writes. New tables are included automatically. */
export async function fingerprintOf(query: Query, organizationId?: string): Promise<string> {
  const digests = await digestsOf(query, organizationId)
  return digests.map(({ name, digest }) => `${name} ${digest}`).join('\n')
}
