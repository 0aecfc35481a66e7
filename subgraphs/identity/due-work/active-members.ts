/** The users who belong to their organization and may act in it, for the `from` of a statement. */
export const activeMembers = (alias: string): string =>
  `(select organization_id, id, role from identity.app_user where is_active and left_at is null) ${alias}`

/** The condition that an active owner or admin of the organization has a verified address; without one, an organization mails nobody. */
export const hasProvenAdministrator = (organizationId: string): string => `exists (
  select from identity.admin_user a where a.organization_id = ${organizationId} and a.email_verified and a.is_active and a.deleted_at is null
    and a.role in ('OWNER', 'ADMIN'))`
