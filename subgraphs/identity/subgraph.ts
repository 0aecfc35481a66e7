import type { SubgraphDefinition } from '../kernel/subgraph/subgraph.ts'
import { identityAggregates } from './aggregates.ts'
import { identityPorts } from './context.ts'
import { currencyResource } from './currency/currency.resolver.ts'
import { accessResource } from './access/access.resolver.ts'
import { adminUserResource } from './admin/admin-user.resolver.ts'
import { apiKeyResource } from './api-key/api-key.resolver.ts'
import { auditResource } from './audit/audit.resolver.ts'
import { organizationAdminResource } from './organization/organization-admin.resolver.ts'
import { developerOrgResource } from './developer-org/developer-org.resolver.ts'
import { publicLogoResource } from './seller/public-logo.resolver.ts'
import { organizationResource } from './organization/organization.resolver.ts'
import { connectedAppResource } from './oauth/connected-app.resolver.ts'
import { oauthAppResource } from './oauth/oauth-app.resolver.ts'
import { scimTokenResource } from './scim/scim-token.resolver.ts'
import { profileResource } from './profile/profile.resolver.ts'
import { scimResource } from './scim/scim.resolver.ts'
import { meetingResource } from './meeting/meeting.resolver.ts'
import { accountResource } from './session/account.resolver.ts'
import { sessionResource } from './session/session.resolver.ts'
import { teamResource } from './team/team.resolver.ts'
import { usageResource } from './usage/usage.resolver.ts'
import { viewerResource } from './viewer/viewer.resolver.ts'
import { userLookupResource } from './user-lookup/user-lookup.resolver.ts'
import { recordTypeResource } from './record-type/record-type.resolver.ts'
import { userResource } from './user/user.resolver.ts'

export const identity: SubgraphDefinition = {
  name: 'identity',
  ports: identityPorts,
  resources: [
    organizationResource,
    publicLogoResource,
    userResource,
    teamResource,
    sessionResource,
    accountResource,
    meetingResource,
    apiKeyResource,
    oauthAppResource,
    connectedAppResource,
    accessResource,
    profileResource,
    adminUserResource,
    userLookupResource,
    organizationAdminResource,
    developerOrgResource,
    currencyResource,
    auditResource,
    scimTokenResource,
    scimResource,
    usageResource,
    viewerResource,
    recordTypeResource,
    ...identityAggregates,
  ],
}
