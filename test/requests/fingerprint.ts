type Query = <R>(text: string) => Promise<R[]>

// Usage is counted in the background, so it does not show what a request changed.
const counted = ['request_count', 'rate_limit_hits', 'deprecated_calls', 'last_used_at', 'last_used_ip']
const counts = ['usage_hour', 'deprecated_call']
// Events get their positions after the commit, so positions are not compared; the events are.
const positions = 'event_(log|head|pending).*'

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
    where c.relkind = 'r' and c.relname not in (${counts.map((table) => `'${table}'`).join()}) and c.relname !~ '^${positions}$' and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'graphile%'
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
