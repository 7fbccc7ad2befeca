//===- MainWindow.cpp -----------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/MainWindow.h"

#include "gui/EmptyState.h"
#include "gui/FindBar.h"
#include "gui/Fonts.h"
#include "gui/Format.h"
#include "gui/GraphCanvas.h"
#include "gui/Icons.h"
#include "gui/Panel.h"
#include "gui/ProblemsList.h"
#include "gui/Sci.h"
#include "gui/SourceEditor.h"
#include "gui/SourceFile.h"
#include "gui/StageBar.h"
#include "gui/StageTree.h"
#include "gui/StatusLine.h"
#include "gui/Theme.h"
#include "gui/TimelineCanvas.h"
#include "gui/ToolStrip.h"
#include "gui/UiScale.h"
#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QCloseEvent>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>
#include <QSplitter>
#include <QTextDocument>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>

namespace tilewright::gui {

using Origin = SelectionModel::Origin;

MainWindow::MainWindow(std::unique_ptr<StudioBackend> backend, QWidget *parent)
    : QMainWindow(parent), bench(std::move(backend)) {
  setMinimumSize(leastSize);
  setAcceptDrops(true);
  makeSource();
  makeStages();
  makeIrAndGraph();
  makeTimeline();

  // Both texts below each other, to be compared; graphs run from top to bottom
  // and get all of the height.
  textColumn = new QSplitter(Qt::Vertical);
  textColumn->addWidget(sourcePanel);
  textColumn->addWidget(problemsPanel);
  textColumn->addWidget(irPanel);
  textColumn->setCollapsible(0, false);
  problemsPanel->hide();
  columns = new QSplitter(Qt::Horizontal);
  columns->addWidget(textColumn);
  columns->addWidget(stagePanel);
  columns->addWidget(graphPanel);
  columns->setStretchFactor(0, 4);
  columns->setStretchFactor(1, 0);
  columns->setStretchFactor(2, 6);
  rows = new QSplitter(Qt::Vertical);
  rows->addWidget(columns);
  rows->addWidget(timelinePanel);
  rows->setStretchFactor(0, 1);
  rows->setStretchFactor(1, 0);
  for (QSplitter *splitter : {textColumn, columns, rows}) {
    splitter->setHandleWidth(1);
    connect(splitter, &QSplitter::splitterMoved, this,
            [this] { userArranged = true; });
  }

  makeActions();
  makeToolBar();
  makeStatusBar();
  connectSelection();
  connectWorkbench();
  restoreLayout();
  showTitle();
  showEngine();
  showTargets();
  showStages();
  showRun();
  showPass();
  bench.start();
}

MainWindow::~MainWindow() {
  // Views hear the workbench, which outlives them as a member.
  disconnect(&bench, nullptr, this, nullptr);
  disconnect(&bench.selection(), nullptr, this, nullptr);
}

//===----------------------------------------------------------------------===//
// The areas
//===----------------------------------------------------------------------===//

void MainWindow::makeSource() {
  editor = new SourceEditor;
  sourceState = new EmptyState(editor);
  sourceState->setText(
      tr("No file is open"),
      tr("Open an operator written in MLIR, or drop one here."));
  sourceState->setAction(tr("Open…"));
  sourceState->setEmpty(true);
  connect(sourceState, &EmptyState::actionTriggered, this,
          &MainWindow::chooseAndOpen);
  sourcePanel = new Panel(tr("Source"), sourceState);
  sourceFindBar = new FindBar(editor, editor, tr("Find in the source"));
  sourcePanel->addBar(sourceFindBar);
  problemsList = new ProblemsList(&bench.problems());
  problemsPanel = new Panel(tr("Problems"), problemsList);
  connect(problemsPanel->addButton(Icons::Close, tr("Hide problems")),
          &QToolButton::clicked, this, [this] { problemsPanel->hide(); });
  connect(problemsList, &ProblemsList::problemChosen, this,
          [this](const SourceDiagnostic &problem) {
            editor->goTo(problem.range.begin, bench.backend().encoding());
          });
  connect(&editor->edits(), &EditTracker::edited, &bench, &Workbench::edit);
  connect(editor, &CodeView::hovered, this, [this](long at, QPoint where) {
    DocumentPosition position =
        editor->positionOf(at, bench.backend().encoding());
    bench.backend().hover(
        position, [this, where](const Answer<QString> &answer) {
          // The answer is for where the mouse was; it may have gone on.
          if (!answer || answer.value->isEmpty() ||
              (QCursor::pos() - where).manhattanLength() > 8)
            return;
          QTextDocument text;
          text.setMarkdown(*answer.value);
          QToolTip::showText(where, text.toHtml(), editor->viewport());
        });
  });
  connect(editor, &QsciScintilla::modificationChanged, this,
          [this] { showTitle(); });
}

void MainWindow::makeStages() {
  stageTree = new StageTree(&bench.stageModel());
  stageState = new EmptyState(stageTree);
  stagePanel = new Panel(tr("Passes"), stageState);
  connect(stageTree, &StageTree::passChosen, &bench, &Workbench::choosePass);
}

void MainWindow::makeIrAndGraph() {
  irView = new IrView;
  irState = new EmptyState(irView);
  irPanel = new Panel(tr("IR"), irState);
  irFindBar = new FindBar(irView, irView, tr("Find in the IR"));
  irPanel->addBar(irFindBar);
  canvas = new GraphCanvas(&bench.colors());
  graphPanel = new Panel(tr("Graph"), canvas);
  graphFindBar =
      new FindBar(canvas, canvas, tr("Find a node by name or operation"));
  graphPanel->addBar(graphFindBar);
  zoomLabel = new QLabel;
  zoomLabel->setFont(Fonts::ui(0.92));
  zoomLabel->setFixedWidth(44);
  zoomLabel->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  zoomLabel->setForegroundRole(QPalette::PlaceholderText);
  graphPanel->addHeaderWidget(zoomLabel);
  auto button = [this](int icon, const QString &tip, auto slot) {
    connect(graphPanel->addButton(icon, tip), &QToolButton::clicked, canvas,
            slot);
  };
  button(Icons::ZoomOut, tr("Zoom out (-)"), &GraphCanvas::zoomOut);
  button(Icons::ZoomIn, tr("Zoom in (+)"), &GraphCanvas::zoomIn);
  button(Icons::Fit, tr("Show all (F)"), &GraphCanvas::fit);
  connect(graphPanel->addButton(Icons::CollapseAll, tr("Close all groups")),
          &QToolButton::clicked, this,
          [this] { bench.layouter().setAllOpen(false); });
  connect(graphPanel->addButton(Icons::ExpandAll, tr("Open all groups")),
          &QToolButton::clicked, this,
          [this] { bench.layouter().setAllOpen(true); });
  connect(canvas, &GraphCanvas::toggled, &bench.layouter(),
          &GraphLayouter::setOpen);
  connect(canvas, &GraphCanvas::resized, this,
          [this, before = QSize()]() mutable {
            // More room opens more; less leaves what is read now as it is.
            bool grown = canvas->width() > before.width() ||
                         canvas->height() > before.height();
            before = canvas->size();
            bench.layouter().setArea(canvas->size(),
                                     grown && canvas->isUntouched());
          });
  connect(canvas, &GraphCanvas::revealRequested, this,
          [this](const std::string &id) { bench.layouter().reveal(id); });
  connect(canvas, &GraphCanvas::activated, this,
          [this](const std::vector<std::string> &keys) {
            if (!editor->goToKeys(keys))
              status->setMessage(
                  tr("This node comes from no operation of the source"), false);
          });
  connect(canvas, &GraphCanvas::zoomChanged, this, [this](double scale) {
    zoomLabel->setText(QString("%1%").arg(std::max(1, qRound(scale * 100))));
  });
}

void MainWindow::makeTimeline() {
  timelineCanvas = new TimelineCanvas(&bench.colors());
  timelinePanel = new Panel(tr("Timeline"), timelineCanvas);
  auto button = [this](int icon, const QString &tip, auto slot) {
    connect(timelinePanel->addButton(icon, tip), &QToolButton::clicked,
            timelineCanvas, slot);
  };
  button(Icons::ZoomOut, tr("Zoom out (-)"), &TimelineCanvas::zoomOut);
  button(Icons::ZoomIn, tr("Zoom in (+)"), &TimelineCanvas::zoomIn);
  button(Icons::Fit, tr("Show all (F)"), &TimelineCanvas::fit);
}

void MainWindow::makeActions() {
  auto action = [this](const QString &text, const QKeySequence &keys,
                       auto slot) {
    auto *made = new QAction(text, this);
    made->setShortcut(keys);
    connect(made, &QAction::triggered, this, slot);
    addAction(made);
    return made;
  };
  openAction =
      action(tr("&Open…"), QKeySequence::Open, [this] { chooseAndOpen(); });
  saveAction = action(tr("&Save"), QKeySequence::Save, [this] { save(); });
  openTraceAction = action(tr("Open &trace…"), QKeySequence("Ctrl+T"), [this] {
    QString path = QFileDialog::getOpenFileName(
        this, tr("Open trace"), lastFolder,
        tr("Chrome traces (*.json *.json.gz);;All files (*)"));
    if (!path.isEmpty())
      openTrace(path);
  });
  runAction = action(tr("&Run"), QKeySequence("F5"), [this] { bench.run(); });
  stopAction = action(tr("S&top"), QKeySequence("Shift+F5"),
                      [this] { bench.cancelRun(); });
  themeAction = action(tr("&Dark theme"), QKeySequence("Ctrl+Shift+D"), [this] {
    setDarkTheme(!Theme::current().dark());
    QSettings().setValue("theme", Theme::current().dark() ? "dark" : "light");
  });
  themeAction->setCheckable(true);
  themeAction->setChecked(Theme::current().dark());

  QMenu *file = menuBar()->addMenu(tr("&File"));
  file->addAction(openAction);
  file->addAction(openTraceAction);
  file->addAction(saveAction);
  file->addSeparator();
  file->addAction(
      action(tr("&Quit"), QKeySequence("Ctrl+Q"), [this] { close(); }));

  QMenu *edit = menuBar()->addMenu(tr("&Edit"));
  auto editorAction = [&](const QString &text, QKeySequence::StandardKey keys,
                          auto slot) {
    // No shortcut of its own: Scintilla has the keys, the menu shows them.
    auto *made = new QAction(
        text + '\t' + QKeySequence(keys).toString(QKeySequence::NativeText),
        this);
    connect(made, &QAction::triggered, editor, slot);
    edit->addAction(made);
  };
  editorAction(tr("&Undo"), QKeySequence::Undo, &QsciScintilla::undo);
  editorAction(tr("&Redo"), QKeySequence::Redo, &QsciScintilla::redo);
  edit->addSeparator();
  editorAction(tr("Cu&t"), QKeySequence::Cut, &QsciScintilla::cut);
  editorAction(tr("&Copy"), QKeySequence::Copy, &QsciScintilla::copy);
  editorAction(tr("&Paste"), QKeySequence::Paste, &QsciScintilla::paste);
  edit->addSeparator();
  edit->addAction(action(tr("&Find…"), QKeySequence::Find, [this] { find(); }));
  auto step = [this](FindStep how) {
    if (FindBar *bar = findBarInUse())
      bar->step(how);
    else
      find();
  };
  edit->addAction(action(tr("Find &next"), QKeySequence("F3"),
                         [step] { step(FindStep::Next); }));
  edit->addAction(action(tr("Find pre&vious"), QKeySequence("Shift+F3"),
                         [step] { step(FindStep::Previous); }));

  QMenu *view = menuBar()->addMenu(tr("&View"));
  for (int i = 0; i < 6; ++i) {
    auto *stage =
        action(tr("Stage %1").arg(i + 1),
               QKeySequence(QString("Ctrl+%1").arg(i + 1)), [this, i] {
                 QStringList all = bench.stageModel().stages();
                 if (i < all.size())
                   bench.chooseStage(all[i]);
               });
    stage->setObjectName(QString("stage%1").arg(i));
    view->addAction(stage);
  }
  view->addSeparator();
  view->addAction(action(tr("&Fit graph"), QKeySequence("Ctrl+0"),
                         [this] { canvas->fit(); }));
  view->addAction(action(tr("Fit t&imeline"), QKeySequence("Ctrl+Shift+0"),
                         [this] { timelineCanvas->fit(); }));
  view->addAction(action(tr("Show selection in the g&raph"),
                         QKeySequence("Ctrl+Return"), [this] {
                           graphPanel->show();
                           canvas->showLit();
                         }));
  view->addSeparator();
  auto toggle = [&](const QString &text, const QString &keys, QWidget *panel) {
    auto *made = new QAction(text, this);
    made->setCheckable(true);
    made->setShortcut(QKeySequence(keys));
    made->setChecked(!panel->isHidden());
    connect(made, &QAction::toggled, panel, &QWidget::setVisible);
    connect(view, &QMenu::aboutToShow, made, [made, panel] {
      QSignalBlocker quiet(made);
      made->setChecked(!panel->isHidden());
    });
    addAction(made);
    view->addAction(made);
  };
  toggle(tr("&Problems"), "Ctrl+Shift+M", problemsPanel);
  toggle(tr("P&asses"), "Ctrl+Shift+P", stagePanel);
  toggle(tr("&Graph"), "Ctrl+Shift+G", graphPanel);
  toggle(tr("&IR"), "Ctrl+Shift+I", irPanel);
  toggle(tr("Ti&meline"), "Ctrl+Shift+T", timelinePanel);
  view->addSeparator();
  view->addAction(themeAction);
  QMenu *sizes = view->addMenu(tr("UI &scale"));
  auto *sizeGroup = new QActionGroup(this);
  for (int percent : uiscale::choices()) {
    auto *made = sizes->addAction(percent ? QString("%1 %").arg(percent)
                                          : tr("As the screen has it"));
    made->setCheckable(true);
    made->setChecked(uiscale::stored() == percent);
    sizeGroup->addAction(made);
    connect(made, &QAction::triggered, this,
            [this, percent] { setUiScale(percent); });
  }
  QMenu *languages = view->addMenu(tr("&Language"));
  auto *languageGroup = new QActionGroup(this);
  QString kept = QSettings().value("language").toString();
  for (auto [code, name] : {std::pair(QString(), tr("As the system has it")),
                            std::pair(QString("en"), QString("English")),
                            std::pair(QString("zh_CN"), QString("简体中文"))}) {
    auto *made = languages->addAction(name);
    made->setCheckable(true);
    made->setChecked(kept == code);
    languageGroup->addAction(made);
    connect(made, &QAction::triggered, this,
            [this, code = code] { setLanguage(code); });
  }

  QMenu *run = menuBar()->addMenu(tr("&Run"));
  run->addAction(runAction);
  run->addAction(stopAction);

  QMenu *help = menuBar()->addMenu(tr("&Help"));
  help->addAction(action(tr("&About Tilewright Studio"), {}, [this] {
    QMessageBox::about(
        this, tr("About Tilewright Studio"),
        tr("<b>Tilewright Studio %1</b><p>A workbench for operators of "
           "tile-based accelerators.</p><p>Studio is free software under the "
           "GNU General Public License, version 3 or later.</p>")
            .arg(QCoreApplication::applicationVersion()));
  }));
}

void MainWindow::makeToolBar() {
  auto *bar = new ToolStrip;
  auto *open = new QToolButton;
  open->setAutoRaise(true);
  open->setIcon(Icons::icon(Icons::Open));
  open->setToolTip(tr("Open a file (Ctrl+O)"));
  open->setAccessibleName(tr("Open"));
  connect(open, &QToolButton::clicked, this, &MainWindow::chooseAndOpen);
  bar->add(open);
  bar->addSeparator();

  auto *label = new QLabel(tr("Target"));
  label->setForegroundRole(QPalette::PlaceholderText);
  label->setContentsMargins(4, 0, 2, 0);
  bar->add(label);
  targetBox = new QComboBox;
  targetBox->setMinimumWidth(136);
  targetBox->setAccessibleName(tr("Target"));
  targetBox->setToolTip(tr("The machine to compile for"));
  label->setBuddy(targetBox);
  connect(targetBox, &QComboBox::textActivated, &bench, &Workbench::setTarget);
  bar->add(targetBox);

  runButton = new QPushButton;
  runButton->setMinimumWidth(84);
  connect(runButton, &QPushButton::clicked, this, [this] {
    if (bench.running())
      bench.cancelRun();
    else
      bench.run();
  });
  bar->add(runButton);
  bar->addSeparator();

  stageBar = new StageBar;
  connect(stageBar, &StageBar::stageChosen, &bench, &Workbench::chooseStage);
  bar->add(stageBar);

  bar->addStretch();
  themeButton = new QToolButton;
  themeButton->setAutoRaise(true);
  themeButton->setToolTip(tr("Light or dark (Ctrl+Shift+D)"));
  themeButton->setAccessibleName(tr("Switch theme"));
  connect(themeButton, &QToolButton::clicked, themeAction, &QAction::trigger);
  bar->add(themeButton);
  auto *middle = new QWidget;
  auto *column = new QVBoxLayout(middle);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(bar);
  column->addWidget(rows, 1);
  setCentralWidget(middle);
  retheme();
}

void MainWindow::makeStatusBar() {
  status = new StatusLine(this);
  setStatusBar(status);
  status->setCaret(1, 1);
  connect(status, &StatusLine::problemsClicked, this, [this] {
    problemsPanel->setVisible(problemsPanel->isHidden() &&
                              bench.problems().rowCount() > 0);
  });
  connect(&bench, &Workbench::message, status, &StatusLine::setMessage);
  connect(
      editor, &QsciScintilla::cursorPositionChanged, status,
      [this](int line, int column) { status->setCaret(line + 1, column + 1); });
}

//===----------------------------------------------------------------------===//
// Wiring
//===----------------------------------------------------------------------===//

void MainWindow::connectSelection() {
  SelectionModel *selection = &bench.selection();
  connect(editor, &CodeView::caretMoved, this, [this, selection](long at) {
    if (auto keys = editor->keysAt(at); !keys.empty())
      selection->select(keys, Origin::Source);
  });
  connect(irView, &CodeView::caretMoved, this, [this, selection](long at) {
    if (auto keys = irView->keysAt(at); !keys.empty())
      selection->select(keys, Origin::Ir);
  });
  connect(canvas, &GraphCanvas::keysChosen, this,
          [selection](const std::vector<std::string> &keys) {
            selection->select(keys, Origin::Graph);
          });
  connect(timelineCanvas, &TimelineCanvas::keysChosen, this,
          [selection](const std::vector<std::string> &keys) {
            selection->select(keys, Origin::Timeline);
          });
  connect(selection, &SelectionModel::changed, this,
          &MainWindow::showSelection);
}

void MainWindow::showSelection() {
  const SelectionModel &selection = bench.selection();
  auto reveal = [&](Origin own) { return selection.origin() != own; };
  editor->showKeys(selection.keys(), reveal(Origin::Source));
  irView->showKeys(selection.keys(), reveal(Origin::Ir));
  canvas->showKeys(selection.keys(), reveal(Origin::Graph));
  timelineCanvas->showKeys(selection.keys(), reveal(Origin::Timeline));
  status->setSelection(selection.describe());
}

void MainWindow::connectWorkbench() {
  connect(&bench, &Workbench::engineChanged, this, &MainWindow::showEngine);
  connect(&bench, &Workbench::targetsChanged, this, &MainWindow::showTargets);
  connect(&bench, &Workbench::stagesChanged, this, &MainWindow::showStages);
  connect(&bench, &Workbench::passChanged, this, &MainWindow::showPass);
  connect(&bench, &Workbench::diagnosticsArrived, this,
          [this](const std::vector<SourceDiagnostic> &list) {
            editor->setDiagnostics(list, bench.backend().encoding());
            showProblems();
          });
  connect(&bench, &Workbench::keysArrived, this, [this] {
    editor->setKeys(bench.sourceKeys()->keys, bench.backend().encoding());
    showSelection();
  });
  connect(&bench, &Workbench::irArrived, this,
          [this](std::shared_ptr<const IrDocument> document) {
            irState->setEmpty(!document);
            irView->setDocument(std::move(document));
            irView->showKeys(bench.selection().keys(), true);
            showPass();
          });
  connect(&bench, &Workbench::graphRequested, this,
          [this] { canvas->setBusy(true); });
  connect(&bench, &Workbench::graphArrived, this,
          [this](std::shared_ptr<const GraphScene> scene) {
            canvas->setScene(std::move(scene));
            canvas->showKeys(bench.selection().keys(), false);
            showPass();
          });
  connect(&bench, &Workbench::passFailed, this, [this](const QString &why) {
    // Once in full is enough.
    QString brief = tr("The source does not compile.");
    bool none = bench.chosenPass().isEmpty();
    bool brieflyHere = none && bench.stagesError().isEmpty();
    irState->setText(none ? tr("No IR") : tr("Nothing to show for this pass"),
                     brieflyHere ? brief : why);
    canvas->setEmptyText(tr("No graph"), brieflyHere ? brief : why);
    stageState->setText(tr("Not compiled"), why);
    if (none)
      irState->setEmpty(true);
    else
      status->setMessage(why, true);
  });
  connect(&bench, &Workbench::runStarted, this, &MainWindow::showRun);
  connect(&bench, &Workbench::runFinished, this, &MainWindow::showRun);
  connect(&bench, &Workbench::traceArrived, this, [this] {
    timelineCanvas->setTrace(bench.trace());
    timelineCanvas->showKeys(bench.selection().keys(), false);
    showRun();
    if (!userArranged && !timelinePanel->isFolded())
      arrange(size());
  });
}

void MainWindow::showEngine() {
  status->setEngine(bench.engineState(), bench.engineDetail());
  if (bench.engineState() == EngineState::Failed) {
    QString why = bench.engineDetail();
    stageState->setText(tr("No engine"), why);
    irState->setText(tr("No engine"), tr("The source can still be edited."));
    canvas->setEmptyText(tr("No engine"),
                         tr("The source can still be edited."));
  }
  showRun();
}

void MainWindow::showTargets() {
  QSignalBlocker quiet(targetBox);
  const TargetList &list = bench.targets();
  targetBox->clear();
  for (const TargetInfo &target : list.targets) {
    targetBox->addItem(target.name);
    targetBox->setItemData(targetBox->count() - 1, target.description,
                           Qt::ToolTipRole);
  }
  targetBox->setCurrentText(list.current);
  targetBox->setEnabled(targetBox->count() > 0);
  if (targetBox->count() == 0) {
    targetBox->addItem(tr("cpu"));
  }
}

void MainWindow::showStages() {
  const model::StageTable *table = bench.table();
  bool empty = !table || table->passes.empty();
  if (!bench.hasDocument())
    stageState->setText(tr("No passes yet"),
                        tr("They appear as soon as a file is open."));
  stageState->setEmpty(empty);
  stageBar->setStages(bench.stageModel().stages());
  QStringList stages = bench.stageModel().stages();
  for (int i = 0; i < 6; ++i)
    if (auto *action = findChild<QAction *>(QString("stage%1").arg(i))) {
      action->setVisible(i < stages.size());
      if (i < stages.size())
        action->setText(stageTitle(stages[i].toStdString()));
    }
  if (!empty) {
    int changed = int(std::count_if(table->passes.begin(), table->passes.end(),
                                    [](auto &pass) { return pass.changed; }));
    stagePanel->setDetail(table->complete ? tr("%1 of %n changed", nullptr,
                                               int(table->passes.size()))
                                                .arg(changed)
                                          : tr("stopped by an error"),
                          !table->complete);
    status->setCompilation(quint64(table->generation),
                           bench.stageModel().totalMilliseconds());
    stageTree->choose(bench.chosenPass());
  } else {
    stagePanel->setDetail({});
  }
  if (!bench.hasDocument() && bench.engineState() != EngineState::Failed) {
    irState->setText(tr("No IR yet"),
                     tr("Choose a pass to see the program after it."));
    irState->setEmpty(true);
    canvas->setEmptyText(tr("No graph yet"),
                         tr("Open a file; its operations appear here, stage by "
                            "stage."));
  }
  showRun();
}

void MainWindow::showPass() {
  QString pass = bench.chosenPass();
  stageBar->setCurrent(bench.chosenStage());
  if (stageTree->chosen() != pass ||
      !stageTree->currentIndex().parent().isValid())
    if (!pass.isEmpty() && stageTree->chosen() != pass)
      stageTree->choose(pass);
  const IrDocument *document = irView->document();
  if (document && !irState->isEmpty()) {
    qint64 lines = std::count(document->printed.text.begin(),
                              document->printed.text.end(), '\n');
    irPanel->setDetail(
        QString("%1 · %2").arg(pass, tr("%n line(s)", nullptr, int(lines))));
  } else {
    irPanel->setDetail(pass);
  }
  const GraphScene *scene = canvas->scene();
  graphPanel->setButtonsEnabled(scene);
  if (scene) {
    graphPanel->setDetail(QString("%1 · %2").arg(
        pass, tr("%n node(s)", nullptr, int(scene->graph->nodes.size()))));
  } else {
    graphPanel->setDetail(pass);
  }
}

void MainWindow::showRun() {
  bool canRun = bench.hasDocument() &&
                bench.engineState() != EngineState::Failed && bench.table() &&
                bench.table()->complete;
  bool running = bench.running();
  runButton->setText(running ? tr("Stop") : tr("Run"));
  runButton->setIcon(Icons::icon(running ? Icons::Stop : Icons::Run,
                                 running ? Icons::Plain : Icons::OnAccent));
  runButton->setDefault(!running);
  runButton->setAutoDefault(false);
  runButton->setEnabled(running || canRun);
  runButton->setToolTip(running ? tr("Stop the run (Shift+F5)")
                                : tr("Run on this machine (F5)"));
  runAction->setEnabled(canRun && !running);
  stopAction->setEnabled(running);
  saveAction->setEnabled(bench.hasDocument());
  const auto &trace = bench.trace();
  const model::RunResult *run = bench.lastRun();
  bool nothing = !trace && !run && bench.runError().isEmpty();
  if (running) {
    timelineCanvas->setEmptyText(tr("Running…"), {});
    timelinePanel->setDetail(tr("running…"));
    return;
  }
  // What was only interpreted has no times to show either.
  foldTimeline(!trace && bench.runError().isEmpty());
  if (run && run->milliseconds.empty())
    timelineCanvas->setEmptyText(
        tr("The run has no timeline"),
        tr("Code for %1 cannot run here: the interpreter executed its Block "
           "graph. That gives results, but no times.")
            .arg(QString::fromStdString(run->target)));
  else if (!bench.runError().isEmpty())
    timelineCanvas->setEmptyText(tr("The run failed"), bench.runError());
  if (nothing) {
    timelinePanel->setDetail(
        canRun ? tr("Nothing was run yet. F5 runs the operator and shows what "
                    "each core did; Ctrl+T opens a trace.")
               : tr("Nothing was run yet. Ctrl+T opens a trace."));
    return;
  }
  // One run has one header: the fastest, which is also the one in the trace. A
  // trace from a file is of a run of its own.
  bool ours = run && (!trace || bench.isTraceOfRun());
  QStringList parts;
  bool wrong = false;
  if (ours) {
    if (run->milliseconds.empty()) {
      parts << tr("interpreted for %1: results, but no times")
                   .arg(QString::fromStdString(run->target));
    } else {
      double best =
          *std::min_element(run->milliseconds.begin(), run->milliseconds.end());
      QString time = formatMilliseconds(best);
      parts << (run->milliseconds.size() == 1
                    ? tr("one run: %1 ms").arg(time)
                    : tr("the fastest of %n run(s): %1 ms", nullptr,
                         int(run->milliseconds.size()))
                          .arg(time));
      if (run->flop > 0 && best > 0) {
        double rate = run->flop / best / 1e6;
        QString text = QString("%1 GFLOP/s").arg(rate, 0, 'f', 1);
        if (run->peakGflops > 0)
          text += " " +
                  tr("(%1% of peak)").arg(qRound(rate / run->peakGflops * 100));
        parts << text;
      }
    }
    if (!run->checks.empty()) {
      wrong = std::any_of(run->checks.begin(), run->checks.end(),
                          [](auto &check) { return !check.passed; });
      parts << (wrong ? tr("NUMBERS DIFFER") : tr("numbers agree"));
    }
  } else if (trace && !trace->path.isEmpty()) {
    parts << tr("trace %1").arg(QFileInfo(trace->path).fileName());
  }
  if (trace) {
    parts << tr("%1 tasks").arg(formatCount(qint64(trace->store.size())));
    parts << tr("%1% busy").arg(qRound(trace->utilisation.share * 100));
    if (trace->critical.makespan > 0)
      parts << tr("critical path %1 of %2")
                   .arg(formatNanoseconds(double(trace->critical.run)),
                        formatNanoseconds(double(trace->critical.makespan)));
    parts << formatOrigin(trace->store.origin);
  }
  timelinePanel->setDetail(parts.join(QString(" · ")), wrong);
}

void MainWindow::showProblems() {
  int errors = bench.problems().count(model::Severity::Error);
  int warnings = bench.problems().count(model::Severity::Warning);
  status->setProblems(errors, warnings);
  int count = bench.problems().rowCount();
  problemsPanel->setDetail(count ? QString::number(count) : QString());
  bool show = count > 0;
  if (show != problemsPanel->isHidden())
    return;
  problemsPanel->setVisible(show);
  if (show) {
    // The source gives the room.
    QList<int> sizes = textColumn->sizes();
    int both = sizes[0] + sizes[1];
    int wanted = std::clamp(32 + count * 44, 32 + 44,
                            std::max(32 + 44, textColumn->height() / 3));
    textColumn->setSizes({both - wanted, wanted, sizes[2]});
  }
}

void MainWindow::showTitle() {
  QString name =
      filePath.isEmpty() ? QString() : QFileInfo(filePath).fileName();
  bool changed = send(editor, Sci::SCI_GETMODIFY) && !filePath.isEmpty();
  setWindowTitle(name.isEmpty() ? tr("Tilewright Studio")
                                : QString("%1%2 - %3")
                                      .arg(name, changed ? "*" : "",
                                           tr("Tilewright Studio")));
  sourcePanel->setDetail(name.isEmpty() ? QString()
                         : changed      ? tr("%1, not saved").arg(name)
                                        : name);
}

//===----------------------------------------------------------------------===//
// Files, theme, layout
//===----------------------------------------------------------------------===//

bool MainWindow::openFile(const QString &path, QString *error) {
  SourceFile file = SourceFile::read(path);
  if (!file.error.isEmpty()) {
    status->setMessage(file.error, true);
    if (error)
      *error = file.error;
    return false;
  }
  filePath = QFileInfo(path).absoluteFilePath();
  lastFolder = QFileInfo(path).absolutePath();
  send(editor, Sci::SCI_SETREADONLY, 0);
  editor->setBytes(file.text);
  if (file.repaired) {
    send(editor, Sci::SCI_SETREADONLY, 1);
    status->setMessage(
        tr("%1 is not valid UTF-8; it is shown read-only, with \uFFFD for the "
           "bytes that are none")
            .arg(path),
        true);
  }
  sourceState->setEmpty(false);
  irState->setText(tr("Compiling…"), {});
  canvas->setEmptyText(tr("Compiling…"), {});
  stageState->setText(tr("Compiling…"), {});
  bench.open(filePath, file.text);
  showEngine();
  editor->setFocus();
  showTitle();
  return true;
}

void MainWindow::openTrace(const QString &path) { bench.openTrace(path); }

void MainWindow::chooseAndOpen() {
  QString path = QFileDialog::getOpenFileName(
      this, tr("Open"), lastFolder, tr("MLIR (*.mlir);;All files (*)"));
  if (!path.isEmpty() && confirmDiscard())
    openFile(path);
}

bool MainWindow::save() {
  if (filePath.isEmpty())
    return true;
  if (editor->isReadOnly()) {
    status->setMessage(tr("This file is read-only here"), true);
    return false;
  }
  QString error = SourceFile::write(filePath, editor->bytes());
  if (!error.isEmpty()) {
    status->setMessage(error, true);
    return false;
  }
  send(editor, Sci::SCI_SETSAVEPOINT);
  status->setMessage(tr("Saved"), false);
  showTitle();
  return true;
}

bool MainWindow::confirmDiscard() {
  if (filePath.isEmpty() || !send(editor, Sci::SCI_GETMODIFY))
    return true;
  auto answer = QMessageBox::question(this, tr("Unsaved changes"),
                                      tr("%1 has changes that are not saved.")
                                          .arg(QFileInfo(filePath).fileName()),
                                      QMessageBox::Save | QMessageBox::Discard |
                                          QMessageBox::Cancel);
  if (answer == QMessageBox::Save)
    return save();
  return answer == QMessageBox::Discard;
}

void MainWindow::closeEvent(QCloseEvent *event) {
  if (!confirmDiscard()) {
    event->ignore();
    return;
  }
  QSettings settings;
  settings.setValue("geometry", saveGeometry());
  if (userArranged) {
    settings.setValue("layout/rows", rows->saveState());
    settings.setValue("layout/columns", columns->saveState());
    settings.setValue("layout/texts", textColumn->saveState());
  }
  event->accept();
}

void MainWindow::restoreLayout() {
  QSettings settings;
  // A layout file from elsewhere or of another version must do no harm:
  // restoring returns false and the default stays.
  if (!restoreGeometry(settings.value("geometry").toByteArray()))
    resize(1440, 900);
  arrange(size());
  if (settings.contains("layout/columns")) {
    auto restore = [&](QSplitter *splitter, const char *key) {
      return splitter->restoreState(settings.value(key).toByteArray());
    };
    userArranged = restore(rows, "layout/rows") &&
                   restore(columns, "layout/columns") &&
                   restore(textColumn, "layout/texts");
    if (!userArranged)
      arrange(size());
  }
}

/// As high as its rows, but not more than a good part of the window.
int MainWindow::timelineHeight(int all) const {
  int most = std::clamp(all * 3 / 10, 172, 480);
  if (!bench.trace())
    return 172;
  return std::clamp(timelinePanel->headerHeight() +
                        timelineCanvas->contentHeight() + 18,
                    140, most);
}

void MainWindow::arrange(QSize window) {
  arrangedFor = window;
  int width = window.width();
  int height = window.height() - 26 - 44 - 27;
  int passes = std::clamp(width * 22 / 100, 282, 340);
  int texts = (width - passes) * 43 / 100;
  columns->setSizes({texts, passes, width - passes - texts});
  int bottom = timelinePanel->isFolded() ? timelinePanel->maximumHeight()
                                         : timelineHeight(height);
  rows->setSizes({height - bottom, bottom});
  int top = height - bottom;
  int problems = problemsPanel->isHidden() ? 0 : textColumn->sizes()[1];
  textColumn->setSizes(
      {(top - problems) * 58 / 100, problems, (top - problems) * 42 / 100});
}

/// Without a run there is nothing to show; the room goes to the rest.
void MainWindow::foldTimeline(bool folded) {
  if (timelinePanel->isFolded() == folded)
    return;
  timelinePanel->setFolded(folded);
  if (!userArranged)
    return arrange(size());
  if (!folded) {
    int all = rows->height();
    int bottom = timelineHeight(all);
    rows->setSizes({all - bottom, bottom});
  }
}

void MainWindow::resizeEvent(QResizeEvent *event) {
  QMainWindow::resizeEvent(event);
  if (!userArranged && event->size() != arrangedFor)
    arrange(event->size());
}

void MainWindow::dragEnterEvent(QDragEnterEvent *event) {
  if (event->mimeData()->hasUrls())
    event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent *event) {
  for (const QUrl &url : event->mimeData()->urls()) {
    QString path = url.toLocalFile();
    if (path.endsWith(".json") || path.endsWith(".json.gz"))
      openTrace(path);
    else if (!path.isEmpty() && confirmDiscard())
      openFile(path);
  }
}

void MainWindow::setDarkTheme(bool dark) {
  Theme::apply(dark ? Theme::Kind::Dark : Theme::Kind::Light);
  retheme();
}

void MainWindow::setUiScale(int percent) {
  uiscale::store(percent);
  offerRestart(tr("The new scale is used when Studio starts again."));
}

void MainWindow::setLanguage(const QString &language) {
  if (language.isEmpty())
    QSettings().remove("language");
  else
    QSettings().setValue("language", language);
  offerRestart(tr("The new language is used when Studio starts again."));
}

void MainWindow::offerRestart(const QString &text) {
  auto *box = new QMessageBox(QMessageBox::Information, tr("Tilewright Studio"),
                              text, QMessageBox::NoButton, this);
  box->setAttribute(Qt::WA_DeleteOnClose);
  auto *now = box->addButton(tr("Restart now"), QMessageBox::AcceptRole);
  box->addButton(tr("Later"), QMessageBox::RejectRole);
  connect(now, &QAbstractButton::clicked, this, [this] {
    // The new one starts only when the old one may go.
    if (close() && !uiscale::startAgain(filePath))
      QApplication::beep();
  });
  box->open();
}

FindBar *MainWindow::findBarInUse() const {
  QWidget *focus = QApplication::focusWidget();
  auto inside = [focus](const QWidget *panel) {
    return focus && panel->isAncestorOf(focus);
  };
  if (graphFindBar->isVisible() && inside(graphPanel))
    return graphFindBar;
  if (irFindBar->isVisible() && inside(irPanel))
    return irFindBar;
  for (FindBar *bar : {sourceFindBar, irFindBar, graphFindBar})
    if (bar->isVisible())
      return bar;
  return nullptr;
}

void MainWindow::find() {
  QWidget *focus = QApplication::focusWidget();
  FindBar *bar = focus && graphPanel->isAncestorOf(focus) ? graphFindBar
                 : focus && irPanel->isAncestorOf(focus)  ? irFindBar
                                                          : sourceFindBar;
  bar->openBar();
}

void MainWindow::retheme() {
  bool dark = Theme::current().dark();
  themeAction->setChecked(dark);
  themeButton->setIcon(Icons::icon(dark ? Icons::Sun : Icons::Moon));
}

} // namespace tilewright::gui
