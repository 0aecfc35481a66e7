type Query = <R>(text: string) => Promise<R[]>

// Usage and stored bytes are counted in the background, so they do not show what a request changed.
const counted = ['request_count', 'rate_limit_hits', 'deprecated_calls', 'last_used_at', 'last_used_ip']
const counts = ['usage_hour', 'deprecated_call', 'stored_bytes']
// Events get their positions after the commit, so positions are not compared; the events are.
const positions = 'event_(log|head|pending).*'

/** Tables of the platform that are compared, as a condition on `pg_class c` and `pg_namespace n`. */
const isCompared = `c.relname not in (${counts.map((table) => `'${table}'`).join()}) and c.relname !~ '^${positions}$'
  and n.nspname not in ('pg_catalog', 'information_schema', 'test') and n.nspname not like 'graphile%'`

/**
 * Counts statements that write: a trigger of every table raises a sequence. If it is unchanged, nothing was written, which is much
 * faster to see than by reading all rows. It counts refused and rolled-back statements, too, so only the rows decide when it differs.
 */
export const countWrites = [
  'create schema test',
  'create sequence test.writes',
  `create function test.count_write() returns trigger language plpgsql security definer set search_path = '' as
    $$ begin perform nextval('test.writes'); return null; end $$`,
  `do $$
  declare name regclass;
  begin
    for name in select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and ${isCompared}
    loop
      execute format('create trigger count_write after insert or update or delete on %s execute function test.count_write()', name);
      execute format('create trigger count_truncate after truncate on %s execute function test.count_write()', name);
    end loop;
  end $$`,
]

/** The fingerprints of one database. */
export class Fingerprints {
  readonly #known = new Map<string, { writes: string; digest: string }>()

  constructor(private readonly query: Query) {}

  async of(organizationId?: string): Promise<string> {
    const [row] = await this.query<{ writes: string }>(
      `select last_value || ' ' || is_called as writes from test.writes`,
    )
    const { writes } = row!
    const known = this.#known.get(organizationId ?? '')
    if (known?.writes === writes) return known.digest
    const digest = await fingerprintOf(this.query, organizationId)
    this.#known.set(organizationId ?? '', { writes, digest })
    return digest
  }
}

/**
 * A digest of all rows of all tables, independent of the order of rows. New tables are included automatically. A row counts by the
 * transaction that wrote it, which differs after every insert and update, even with the same values, and is much faster to read than
 * the values.
 */
export async function fingerprintOf(query: Query, organizationId?: string): Promise<string> {
  const tables = await query<{ name: string; owned: boolean }>(`
    select format('%I.%I', n.nspname, c.relname) as name,
      exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id') as owned
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and ${isCompared}
    order by 1`)
  const without = counted.map((column) => ` - '${column}'`).join('')
  const digests = tables
    .filter(({ owned }) => owned || organizationId === undefined)
    .map(({ name }) => {
      const own = organizationId === undefined ? '' : `where organization_id = '${organizationId}'`
      const row = name === 'identity.api_key' ? `(to_jsonb(t)${without})::text` : 't.xmin::text'
      return `select '${name}' as name, count(*) || ' ' || coalesce(sum(hashtextextended(${row}, 0)), 0) as digest from ${name} t ${own}`
    })
  const found = await query<{ name: string; digest: string }>(`${digests.join(' union all ')} order by name`)
  return found.map(({ name, digest }) => `${name} ${digest}`).join('\n')
}
