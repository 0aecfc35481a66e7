import type { Sql } from '../../subgraphs/kernel/database/sql.ts'

const batch = 50_000

const pick = (values: readonly string[], step: number): string =>
  `(array[${values.map((value) => `'${value}'`).join(', ')}])[1 + (i / ${step}) % ${values.length}]`

/** Each column with the SQL expression that computes its value from `i`. Every column has a value, as in a well-maintained CRM. */
const accountColumns: Readonly<Record<string, string>> = {
  id: `uuidv7(make_interval(secs => i - $4::int))`,
  organization_id: '$1::uuid',
  owner_id: '$2::uuid',
  external_id: `'ext-' || i`,
  tags: `array['enterprise', 'region-' || i % 12]`,
  metadata: `jsonb_build_object('source', 'import', 'batch', i / 1000)`,
  custom_fields: `jsonb_build_object('segment', 'segment-' || i % 7, 'seats', i % 500)`,
  version: '1',
  created_at: `date_trunc('milliseconds', now() - make_interval(secs => ($4::int - i)))`,
  updated_at: `date_trunc('milliseconds', now() - make_interval(secs => ($4::int - i)))`,
  created_by_id: '$2::uuid',
  updated_by_id: '$2::uuid',
  name: `'Northwind Trading Company ' || i`,
  type: pick(['PROSPECT', 'CUSTOMER', 'PARTNER', 'RESELLER'], 1),
  industry: pick(['Manufacturing', 'Retail', 'Healthcare', 'Logistics', 'Software'], 3),
  website: `'https://www.northwind-' || i || '.example'`,
  domain: `'northwind-' || i || '.example'`,
  phone: `'+1 555 ' || lpad((i % 10000000)::text, 7, '0')`,
  fax: `'+1 556 ' || lpad((i % 10000000)::text, 7, '0')`,
  description: `'Imports and distributes fine food from ' || i % 40 || ' countries; a long-standing customer with yearly renewals.'`,
  parent_account_id: 'null',
  legacy_crm_id: `'legacy-' || i`,
  number_of_employees: '10 + i % 5000',
  annual_revenue: '100000 + i % 900000 + 0.5',
  billing_street: `i % 900 || ' Market Street'`,
  billing_city: pick(['Rotterdam', 'Hamburg', 'Lyon', 'Turin'], 2),
  billing_state: pick(['ZH', 'HH', 'ARA', 'PIE'], 2),
  billing_postal_code: `lpad((i % 100000)::text, 5, '0')`,
  billing_country: pick(['NL', 'DE', 'FR', 'IT'], 2),
  shipping_street: `i % 700 || ' Harbour Road'`,
  shipping_city: pick(['Rotterdam', 'Hamburg', 'Lyon', 'Turin'], 2),
  shipping_state: pick(['ZH', 'HH', 'ARA', 'PIE'], 2),
  shipping_postal_code: `lpad((i % 100000)::text, 5, '0')`,
  shipping_country: pick(['NL', 'DE', 'FR', 'IT'], 2),
  account_status: pick(['ACTIVE', 'ACTIVE', 'ACTIVE', 'PENDING', 'INACTIVE'], 1),
  rating: pick(['HOT', 'WARM', 'COLD'], 1),
  health_score: '(i % 1000) / 10.0',
  lifetime_value: '5000 + i % 70000',
  churn_risk: pick(['NONE', 'LOW', 'MEDIUM', 'HIGH'], 5),
  pain_points: `array['late deliveries']`,
  tech_stack: `array['SAP', 'Shopify']`,
  competitors: `array['Contoso']`,
  is_strategic: 'i % 20 = 0',
  tier: pick(['GOLD', 'SILVER', 'BRONZE'], 4),
  region: pick(['EMEA', 'AMER', 'APAC'], 6),
  last_activity_date: `date_trunc('milliseconds', now() - make_interval(hours => i % 2000))`,
  next_activity_date: `date_trunc('milliseconds', now() + make_interval(hours => i % 2000))`,
}

/** Adds `count` accounts to an organization, oldest first. */
export async function fillAccounts(sql: Sql, organizationId: string, ownerId: string, count: number): Promise<void> {
  const names = Object.keys(accountColumns)
  const insert = `insert into crm.account (${names.join(', ')})
    select ${names.map((name) => accountColumns[name]).join(', ')} from generate_series($3::int, $5::int) as i`
  for (let done = 0; done < count; done += batch) {
    await sql.query(insert, [organizationId, ownerId, done + 1, count, Math.min(done + batch, count)])
  }
}

/** Adds `each` cases to each of the newest `accounts` accounts of the organization. */
export async function fillCases(
  sql: Sql,
  organizationId: string,
  ownerId: string,
  accounts: number,
  each: number,
): Promise<void> {
  await sql.query(
    `insert into support."case" (id, organization_id, owner_id, tags, custom_fields, version, created_at, updated_at, created_by_id,
       updated_by_id, case_number, subject, description, status, priority, type, origin, account_id, escalation_level, reopen_count)
     select uuidv7(), $1, $2, array['delivery'], '{}', 1, moment, moment, $2, $2, number, 'Shipment ' || number || ' has not arrived',
       'The customer expected the shipment last week and asks for a new date.', ${pick(['NEW', 'OPEN', 'RESOLVED'], 1)},
       ${pick(['LOW', 'MEDIUM', 'HIGH', 'URGENT'], 1)}, 'INCIDENT', 'EMAIL', account_id, 0, 0
     from (
       select a.id as account_id, c as i, row_number() over () as number,
         date_trunc('milliseconds', now() - make_interval(mins => c)) as moment
       from (select id from crm.account where organization_id = $1 order by created_at desc, id desc limit $3) a,
         generate_series(1, $4::int) as c
     ) cases`,
    [organizationId, ownerId, accounts, each],
  )
  await sql.query(
    `insert into kernel.record_number (organization_id, object, value) values ($1, 'case', $2)
     on conflict (organization_id, object) do update set value = excluded.value`,
    [organizationId, accounts * each],
  )
}
