import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { isSlow, type ProjectOptions, projects } from './projects.ts';

/**
 * Begins each project with its slow files: Vitest takes the largest first until it has seen how long they take, and a long one
 * at the end occupies one worker while the others have nothing to do.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projectsInOrder = Map.groupBy(sorted, ({ project }) => project.name);
    return [...projectsInOrder.values()].flatMap(ofOne => [
      ...ofOne.filter(isSlowFile),
      ...ofOne.filter(file => !isSlowFile(file)),
    ]);
  }
}

function isSlowFile({ moduleId, project }: TestSpecification): boolean {
  const known: Record<string, ProjectOptions> = projects;
  const options = known[project.name];
  return options !== undefined && isSlow(relative(`${import.meta.dirname}/..`, moduleId), options);
}
