//===- MainWindow.h - Studio's window -------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include "gui/Workbench.h"
#include <QMainWindow>

class QAction;
class QComboBox;
class QLabel;
class QPushButton;
class QSplitter;
class QToolButton;

namespace tilewright::gui {

class EmptyState;
class FindBar;
class GraphCanvas;
class IrView;
class Panel;
class ProblemsList;
class SourceEditor;
class StageBar;
class StageTree;
class StatusLine;
class TimelineCanvas;

/// The window: source and problems above the IR of the chosen pass, stages and
/// passes, the pass's graph, timeline of a run. Wires the views to a Workbench
/// and to each other through its SelectionModel.
class MainWindow : public QMainWindow {
  Q_OBJECT
public:
  /// Smaller than this the areas cut each other's texts.
  static constexpr QSize leastSize{900, 560};

  explicit MainWindow(std::unique_ptr<StudioBackend> backend,
                      QWidget *parent = nullptr);
  ~MainWindow() override;

  /// False if it cannot be read; the reason is shown and put into `error`.
  bool openFile(const QString &path, QString *error = nullptr);
  void openTrace(const QString &path);
  bool save();

  Workbench &workbench() { return bench; }
  SourceEditor &source() { return *editor; }
  StageTree &passes() { return *stageTree; }
  IrView &ir() { return *irView; }
  GraphCanvas &graph() { return *canvas; }
  TimelineCanvas &timeline() { return *timelineCanvas; }
  ProblemsList &problems() { return *problemsList; }

  void setDarkTheme(bool dark);
  /// Kept for the next start, which is offered. 0 and empty: as the platform
  /// has it.
  void setUiScale(int percent);
  void setLanguage(const QString &language);
  /// Opens the find bar of the view with the focus, or the source's.
  void find();
  FindBar &sourceFind() { return *sourceFindBar; }
  FindBar &irFind() { return *irFindBar; }
  FindBar &graphFind() { return *graphFindBar; }
  /// Sizes of the areas for a window of this size.
  void arrange(QSize window);

protected:
  void closeEvent(QCloseEvent *event) override;
  void dragEnterEvent(QDragEnterEvent *event) override;
  void dropEvent(QDropEvent *event) override;
  void resizeEvent(QResizeEvent *event) override;

private:
  void makeSource();
  void makeStages();
  void makeIrAndGraph();
  void makeTimeline();
  void makeActions();
  void makeToolBar();
  void makeStatusBar();
  void connectSelection();
  void connectWorkbench();

  FindBar *findBarInUse() const;
  void offerRestart(const QString &text);
  bool confirmDiscard();
  void chooseAndOpen();
  void showEngine();
  void showTargets();
  void showStages();
  void showPass();
  void showRun();
  void foldTimeline(bool folded);
  int timelineHeight(int all) const;
  void showProblems();
  void showTitle();
  void showSelection();
  void retheme();
  void restoreLayout();

  Workbench bench;
  QString filePath;
  QString lastFolder;

  SourceEditor *editor = nullptr;
  EmptyState *sourceState = nullptr;
  Panel *sourcePanel = nullptr;
  ProblemsList *problemsList = nullptr;
  Panel *problemsPanel = nullptr;
  StageTree *stageTree = nullptr;
  EmptyState *stageState = nullptr;
  Panel *stagePanel = nullptr;
  IrView *irView = nullptr;
  EmptyState *irState = nullptr;
  Panel *irPanel = nullptr;
  GraphCanvas *canvas = nullptr;
  Panel *graphPanel = nullptr;
  QLabel *zoomLabel = nullptr;
  FindBar *sourceFindBar = nullptr;
  FindBar *irFindBar = nullptr;
  FindBar *graphFindBar = nullptr;
  TimelineCanvas *timelineCanvas = nullptr;
  Panel *timelinePanel = nullptr;

  QSplitter *rows = nullptr;
  QSplitter *columns = nullptr;
  QSplitter *textColumn = nullptr;
  QSize arrangedFor;
  bool userArranged = false;

  StageBar *stageBar = nullptr;
  QComboBox *targetBox = nullptr;
  QPushButton *runButton = nullptr;
  QToolButton *themeButton = nullptr;
  StatusLine *status = nullptr;

  QAction *openAction = nullptr;
  QAction *openTraceAction = nullptr;
  QAction *saveAction = nullptr;
  QAction *runAction = nullptr;
  QAction *stopAction = nullptr;
  QAction *themeAction = nullptr;
};

} // namespace tilewright::gui
