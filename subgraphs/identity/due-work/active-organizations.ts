/** The organizations that are not suspended, for the `from` of a statement of the platform. No work of the others is done until they are resumed. */
export const activeOrganizations = (alias: string): string =>
  `(select id, name, settings from identity.organization where status = 'ACTIVE') ${alias}`

/**
 * The active organizations `o` that have rows in `rows`, a `from` item with the alias `r`, and for which `isDue` holds. The search jumps from one to
 * the next along an index that begins with `organization_id`, so its cost does not depend on the number of rows.
 */
export const organizationsWith = (rows: string, isDue: string): string => `
  with recursive found as (
    (select r.organization_id from ${rows} order by r.organization_id limit 1)
    union all
    select next.organization_id from found cross join lateral (
      select r.organization_id from ${rows} where r.organization_id > found.organization_id
      order by r.organization_id limit 1) next
  )
  select o.id from found join ${activeOrganizations('o')} on o.id = found.organization_id
  where exists (select from ${rows} where r.organization_id = o.id and ${isDue})`
