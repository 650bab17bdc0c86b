import type { EntitySchema, MetadataStorage } from '@mikro-orm/core';
import type { Entities } from '../entities/index.ts';
import type { AnyEntity } from './backend.ts';

/** The ORM's own entity, which the types of entities hide. */
const schemaOf = (entity: AnyEntity) => entity as unknown as EntitySchema;

/** Returns all entities of an instance, for its ORM. */
export const schemasOf = (entities: Entities): EntitySchema[] => Object.values(entities).map(schemaOf);

/** Returns what the ORM knows of an entity: the names of its table and its columns, and their types. */
export const metadataOf = (orm: { getMetadata(): MetadataStorage }, entity: AnyEntity) =>
  orm.getMetadata().get(schemaOf(entity).meta.class);
