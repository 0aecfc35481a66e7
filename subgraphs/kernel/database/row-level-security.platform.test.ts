import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrations, subgraphs } from '../../all.ts'
import { freshDatabase, type FreshDatabase } from '../../../test/fresh-database.ts'
import { newId } from '../ids.ts'
import { TenantDatabase } from './tenant-database.ts'
import { migrate } from './migrate.ts'

let fresh: FreshDatabase
let tenants: TenantDatabase
const [mine, theirs] = [newId(), newId()]

beforeAll(async () => {
  fresh = await freshDatabase()
  tenants = new TenantDatabase({ url: fresh.url, connectionsMax: 1 })
  for (const [organizationId, n] of [
    [mine, 3],
    [theirs, 5],
  ] as const) {
    await fresh.database.query(
      'insert into kernel.record_number (organization_id, object, value) values ($1, $2, $3)',
      [organizationId, 'thing', n],
    )
  }
})
afterAll(async () => {
  await tenants.close()
  await fresh.drop()
})

const numbers = 'select organization_id as "organizationId", value as n from kernel.record_number order by n'

describe('row-level security between tenants', () => {
  it('shows an organization only its own rows, with any statement', async () => {
    expect(await tenants.of(mine).query(numbers)).toEqual([{ organizationId: mine, n: 3 }])
    expect(await tenants.of(theirs).query(numbers)).toEqual([{ organizationId: theirs, n: 5 }])
    expect(await tenants.of(mine).query(`${numbers} limit $1`, [10])).toEqual([{ organizationId: mine, n: 3 }])
  })

  it('shows no rows when no organization is set', async () => {
    expect(await tenants.query(numbers)).toEqual([])
    expect(await tenants.of('').query(numbers)).toEqual([])
  })

  it('does not keep the organization on the connection for the next statement', async () => {
    // All of them use one connection.
    await tenants.of(mine).query(numbers)
    expect(await tenants.query(numbers)).toEqual([])
    await tenants.of(mine).transaction((sql) => sql.query(numbers))
    expect(await tenants.query(numbers)).toEqual([])
    await tenants
      .of(mine)
      .query('select 1 / 0')
      .catch(() => undefined)
    expect(await tenants.query(numbers)).toEqual([])
  })

  it('applies in transactions and in their savepoints', async () => {
    const seen = await tenants.of(mine).transaction(async (sql) => {
      await sql.transaction((inner) => inner.query('select 1 / 0')).catch(() => undefined)
      return sql.transaction((inner) => inner.query(numbers))
    })
    expect(seen).toEqual([{ organizationId: mine, n: 3 }])
  })

  it('refuses writes for another organization', async () => {
    const insert = 'insert into kernel.record_number (organization_id, object, value) values ($1, $2, 1)'
    await expect(tenants.of(mine).query(insert, [theirs, 'thing'])).rejects.toThrow(/row-level security/)
    expect(
      await tenants
        .of(mine)
        .query('update kernel.record_number set value = 99 where organization_id = $1 returning value', [theirs]),
    ).toEqual([])
    expect(await tenants.of(theirs).query(numbers)).toEqual([{ organizationId: theirs, n: 5 }])
  })

  it('covers every table with an organization, for a role that cannot bypass it', async () => {
    const open = await fresh.database.query(
      `select c.oid::regclass::text as table from pg_class c join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
       where c.relkind in ('r', 'p') and n.nspname <> 'graphile_worker'
         and (not c.relrowsecurity or not exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'tenant'))`,
    )
    expect(open).toEqual([])
    const [role] = await fresh.database.query(
      `select rolsuper, rolbypassrls, rolcanlogin from pg_roles where rolname = 'crm_app'`,
    )
    expect(role).toEqual({ rolsuper: false, rolbypassrls: false, rolcanlogin: false })
    const owned = await fresh.database.query(`select 1 from pg_class where relowner = 'crm_app'::regrole`)
    expect(owned).toEqual([])
  })

  it('is bypassed by views that have its condition only', async () => {
    const views = await fresh.database.query<{ view: string; definition: string }>(
      `select c.oid::regclass::text as view, pg_get_viewdef(c.oid) as definition from pg_class c
       where c.relkind in ('v', 'm') and has_table_privilege('crm_app', c.oid, 'select')
         and c.relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
         and not coalesce(c.reloptions @> array['security_invoker=true'], false)`,
    )
    expect(views.length).toBeGreaterThan(0)
    for (const { view, definition } of views) {
      if (view === 'extensions.marketplace_app') {
        // Apps that their publisher and the operator show to everyone.
        expect(definition).toMatch(
          /\n +WHERE \(\((?:app_package\.)?listing = 'LISTED'::text\) AND \((?:app_package\.)?deleted_at IS NULL\)\);$/,
        )
        continue
      }
      expect(view).toMatch(
        /^tenant\.|^identity\.listed_user$|^assistant\.tenant_document_passage$|^commerce\.listed_payment$/,
      )
      expect(definition).toMatch(/\n +WHERE \(?(?:[\w"]+\.)?organization_id = kernel\.current_organization\(\)\)?;$/)
    }
  })

  it('is bypassed only by root fields that run before sign-in or for more than one organization', () => {
    const crossTenant = subgraphs.flatMap(({ resources }) =>
      resources.flatMap(({ crossTenantFields = [] }) => crossTenantFields),
    )
    expect(crossTenant.toSorted()).toEqual([
      'authAcceptPartnerInvite',
      'authChangePassword',
      'authForgotPassword',
      'authLogin',
      'authLogoutAll',
      'authMagicLink',
      'authMagicLinkSend',
      'authRefresh',
      'authRegister',
      'authResetPassword',
      'authSessionCount',
      'authUpdateProfile',
      'authVerifyEmail',
      'authVerifyResetCode',
      'developerOrgCreate',
      'developerOrgDelete',
      'partnerInvite',
      'publicAiTriggerReceive',
      'publicInvoiceDocument',
      'publicInvoicePay',
      'publicInvoiceSettle',
      'publicInvoiceView',
      'publicLogo',
      'publicPaymentSettle',
      'publicQuoteAccept',
      'publicQuoteDocument',
      'publicQuoteReject',
      'publicQuoteView',
      'publicWorkflowHookReceive',
      'scimUserCreate',
      'scimUserUpdate',
      'userInvite',
      'userInviteAgain',
      'userReactivate',
    ])
  })

  it('hides tables without an organization from requests, in particular password hashes', async () => {
    await expect(tenants.of(mine).query('select password_hash from identity.person')).rejects.toThrow(
      /permission denied/,
    )
    for (const table of ['kernel.migration', 'kernel.data_key', 'identity.oauth_visit']) {
      await expect(tenants.of(mine).query(`select 1 from ${table}`)).rejects.toThrow(/permission denied/)
    }
    expect(await tenants.of(mine).query('select id from identity.person')).toEqual([])
    expect(await tenants.of(mine).query('select id from identity.organization')).toEqual([])
  })
})

describe('migrate', () => {
  it.each([
    'revoke all on kernel.record_number from crm_app',
    'alter table kernel.record_number disable row level security',
    'drop policy tenant on kernel.record_number',
  ])('enables row-level security where an earlier start was killed before it did: %s', async (unfinished) => {
    await fresh.database.query(unfinished)
    await migrate(fresh.database, fresh.url, migrations)
    expect(await tenants.of(mine).query(numbers)).toEqual([{ organizationId: mine, n: 3 }])
    expect(await tenants.query(numbers)).toEqual([])
  })
})
